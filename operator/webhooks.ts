/**
 * `npm run webhooks`: lists the platform's webhooks with their results, and acts on them again. Uses the AWS
 * credentials and region of the shell. Replaying is safe: a webhook only says what to read, and each change is written
 * once.
 */
import { LambdaClient } from '@aws-sdk/client-lambda';
import { createWake, type Wake } from '../shared/aws/wake.ts';
import type { Inbox, Webhook } from '../shared/payments/items/inbox.ts';
import type { Payments } from '../shared/payments/store.ts';
import { isOwner, isvOwner } from '../shared/viva/credentials.ts';
import { requeued } from '../shared/webhooks/inbox.ts';
import { checkOption, environmentNames, print, runCommand, UsageError } from './command.ts';
import { inboxesAbout, inboxesTo } from './inboxes.ts';

const STATES = ['new', 'parked', 'acted', 'ignored', 'needs_review'] as const satisfies readonly Webhook['state'][];

const HELP = `Usage: npm run webhooks -- list <account> --environment <name> [--type <id>] [--state <state>] [--from <time>] [--to <time>]
       npm run webhooks -- show <name> --environment <name>
       npm run webhooks -- replay <account> --environment <name> [the filters of list]
       npm run webhooks -- replay --subject <subject> --environment <name> [--webhook <id>]

list    lists the webhooks of an account: time, type, state, attempts, outcome, source address, subject, id
show    shows all webhooks about an id of ours, an order code or a transaction id
replay  acts on webhooks again as if they had just arrived; webhooks of types without effect are skipped

Account: a merchant id; or isv, optionally followed by merchants whose inboxes are searched, too. All webhooks about one
subject are stored under the account that received the first of them.
Times: ISO 8601. States: ${STATES.join(', ')}. Environments: ${environmentNames}.`;

const OPTIONS = ['type', 'state', 'from', 'to', 'subject', 'webhook'];

type Picks = (webhook: Webhook) => boolean;

await runCommand(HELP, OPTIONS, async ({ positionals, values, environment, payments }) => {
  const [command, name, ...connected] = positionals;
  const account = values['subject'] === undefined ? name : undefined;
  if ((account ?? values['subject']) === undefined) {
    throw new UsageError();
  }
  checkOption('state', values['state'], STATES);
  if (values['type'] !== undefined && !/^\d+$/.test(values['type'])) {
    throw new Error('--type must be the number of a webhook type, for example 1796.');
  }
  if (account !== undefined && command !== 'show' && !isOwner(account)) {
    throw new Error(`${account} is not an account: give a merchant id, or ${isvOwner}.`);
  }
  const wake = createWake(
    new LambdaClient({ region: environment.region }),
    `tillflow-${environment.name}-act-on-webhook`,
  );
  const from = timeOf(values['from']) ?? '0';
  const to = timeOf(values['to']) ?? '9';
  if (from > to) {
    throw new Error('--from is after --to.');
  }
  const picks: Picks = (webhook) =>
    (account === undefined || webhook.recipient === account) &&
    (values['type'] === undefined || webhook.eventTypeId === Number(values['type'])) &&
    (values['state'] === undefined || webhook.state === values['state']) &&
    (values['webhook'] === undefined || webhook.messageId === values['webhook']) &&
    from <= webhook.receivedAt &&
    webhook.receivedAt < to;

  switch (command) {
    case 'list':
      return list(inboxesTo(payments, name ?? '', connected), picks);
    case 'show':
      return show(await inboxesAbout(payments, name ?? ''), name ?? '');
    case 'replay':
      return values['subject'] === undefined
        ? replay(inboxesTo(payments, name ?? '', connected), payments, wake, picks)
        : replay([await inboxOf(payments, values['subject'])], payments, wake, picks);
    default:
      throw new UsageError();
  }
});

async function list(inboxes: AsyncIterable<Inbox>, picks: Picks): Promise<number> {
  for await (const { subject, webhooks } of inboxes) {
    for (const webhook of webhooks.filter(picks)) {
      const { receivedAt, eventTypeId, state, attempts, outcome = '-', sourceIp, messageId } = webhook;
      const columns = [receivedAt, String(eventTypeId).padStart(5), state.padEnd(12), String(attempts).padStart(2)];
      print([...columns, outcome.padEnd(20), sourceIp.padEnd(15), subject.padEnd(36), messageId].join('  '));
    }
  }
  return 0;
}

function show(inboxes: readonly Inbox[], name: string): number {
  if (inboxes.length === 0) {
    throw new Error(`There are no webhooks about ${name}.`);
  }
  const shown = inboxes.map(({ subject, dueAt, actingUntil, spentUntil, webhooks }) => {
    return { subject, dueAt, actingUntil, spentUntil, webhooks };
  });
  print(JSON.stringify(shown, null, 2));
  return 0;
}

async function replay(
  inboxes: AsyncIterable<Inbox> | Iterable<Inbox>,
  payments: Payments,
  wake: Wake,
  picks: Picks,
): Promise<number> {
  let replayed = 0;
  for await (const { subject } of inboxes) {
    let count = 0;
    await payments.change('inbox', subject, (inbox) => {
      const again = requeued(inbox, picks, Date.now());
      count = again.count;
      return again.patch;
    });
    if (count > 0) {
      await wake({ subject });
    }
    replayed += count;
  }
  print(`Replayed webhooks: ${replayed}`);
  return 0;
}

async function inboxOf(payments: Payments, subject: string): Promise<Inbox> {
  const inbox = await payments.get('inbox', subject);
  if (inbox === undefined) {
    throw new Error(`There are no webhooks about ${subject}.`);
  }
  return inbox;
}

function timeOf(text: string | undefined): string | undefined {
  if (text !== undefined && Number.isNaN(Date.parse(text))) {
    throw new Error(`${text} is not a time; write it as 2026-11-21T10:00:00Z.`);
  }
  return text === undefined ? undefined : new Date(text).toISOString();
}
