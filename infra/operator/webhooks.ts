/**
 * `npm run webhooks`: what the platform told, what it led to, and telling it again. Uses the AWS credentials and region of
 * the shell. Replaying is safe: a message only says where to look, and what is found there is written once.
 */
import { LambdaClient } from '@aws-sdk/client-lambda';
import type { Inbox, Message } from '../../shared/items.ts';
import { createNudge, type Nudge } from '../../shared/nudge.ts';
import type { Payments } from '../../shared/payments.ts';
import { requeued } from '../../shared/webhooks/inbox.ts';
import { environmentNames, print, runCommand, UsageError } from './command.ts';

const HELP = `Usage: npm run webhooks -- list <account> --environment <name> [--type <id>] [--state <state>] [--from <time>] [--to <time>]
       npm run webhooks -- show <subject> --environment <name>
       npm run webhooks -- replay <account> --environment <name> [the filters of list]
       npm run webhooks -- replay --subject <subject> --environment <name> [--message <id>]

list    the messages of an account, newest subject first: when, event type, state, attempts, outcome, from where, subject, id
show    all that is known of one subject: an id of ours, an order code, or a transaction id
replay  acts on messages again as if they had just come; those of types that have no effect are left alone

Account: a merchant id, or isv. Times: ISO 8601. States: new, parked, acted, ignored, failed.
Environments: ${environmentNames}.`;

const PAGE = 100;
const OPTIONS = ['type', 'state', 'from', 'to', 'subject', 'message'];

type Picks = (message: Message) => boolean;

await runCommand(HELP, OPTIONS, async ({ positionals, values, environment, payments }) => {
  const [command, name] = positionals;
  const account = values['subject'] === undefined ? name : undefined;
  if ((account ?? values['subject']) === undefined) {
    throw new UsageError();
  }
  const nudge = createNudge(
    new LambdaClient({ region: environment.region }),
    `tillflow-${environment.name}-act-on-webhook`,
  );
  const from = timeOf(values['from']) ?? '0';
  const to = timeOf(values['to']) ?? '9';
  const picks: Picks = (message) =>
    (values['type'] === undefined || message.eventTypeId === Number(values['type'])) &&
    (values['state'] === undefined || message.state === values['state']) &&
    (values['message'] === undefined || message.messageId === values['message']) &&
    from <= message.receivedAt &&
    message.receivedAt < to;

  switch (command) {
    case 'list':
      return list(payments, name ?? '', picks);
    case 'show':
      return show(payments, name ?? '');
    case 'replay':
      return values['subject'] === undefined
        ? replay(inboxesOf(payments, name ?? ''), payments, nudge, picks)
        : replay([await inboxOf(payments, values['subject'])], payments, nudge, picks);
    default:
      throw new Error(`that is not a command of this tool\n\n${HELP}`);
  }
});

async function list(payments: Payments, account: string, picks: Picks): Promise<number> {
  for await (const { subject, messages } of inboxesOf(payments, account)) {
    for (const message of messages.filter(picks)) {
      const { receivedAt, eventTypeId, state, attempts, outcome = '-', sourceIp, messageId } = message;
      const columns = [receivedAt, String(eventTypeId).padStart(5), state.padEnd(7), String(attempts).padStart(2)];
      print([...columns, outcome.padEnd(20), sourceIp.padEnd(15), subject.padEnd(36), messageId].join('  '));
    }
  }
  return 0;
}

async function show(payments: Payments, subject: string): Promise<number> {
  const { messages, dueAt, actingUntil, quietUntil } = await inboxOf(payments, subject);
  print(JSON.stringify({ subject, dueAt, actingUntil, quietUntil, messages }, null, 2));
  return 0;
}

async function replay(
  inboxes: AsyncIterable<Inbox> | Iterable<Inbox>,
  payments: Payments,
  nudge: Nudge,
  picks: Picks,
): Promise<number> {
  let replayed = 0;
  for await (const { subject } of inboxes) {
    let count = 0;
    await payments.change('message', subject, (inbox) => {
      const again = requeued(inbox, picks, Date.now());
      count = again.count;
      return again.patch;
    });
    if (count > 0) {
      await nudge({ subject });
    }
    replayed += count;
  }
  print(`${replayed} messages are acted on again`);
  return 0;
}

async function* inboxesOf(payments: Payments, merchantId: string): AsyncGenerator<Inbox> {
  let after: string | undefined;
  do {
    const page = await payments.list('message', { merchantId, limit: PAGE, ...(after !== undefined && { after }) });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

async function inboxOf(payments: Payments, subject: string): Promise<Inbox> {
  const inbox = await payments.get('message', subject);
  if (inbox === undefined) {
    throw new Error(`no message came about ${subject}`);
  }
  return inbox;
}

function timeOf(text: string | undefined): string | undefined {
  if (text !== undefined && Number.isNaN(Date.parse(text))) {
    throw new Error(`${text} is not a time; write it as 2026-11-21T10:00:00Z`);
  }
  return text === undefined ? undefined : new Date(text).toISOString();
}
