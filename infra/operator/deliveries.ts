/**
 * `npm run deliveries`: what was posted to the callback address of an account, and what was not taken. Uses the AWS
 * credentials and region of the shell. Driving again is safe: a receiver knows an announcement by its id.
 */
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Delivery } from '../../shared/items.ts';
import { createPayments, type Payments } from '../../shared/payments.ts';
import { type EnvironmentName, environments } from '../environments.ts';

const HELP = `Usage: npm run deliveries -- list <merchantId> --environment <name> [--state pending|delivered|dead]
       npm run deliveries -- redrive <merchantId> [<deliveryId>] --environment <name>

list     the deliveries of an account, newest first
redrive  posts the dead deliveries of an account once more, or one of them; the next run of the reconciler begins with it

Environments: ${Object.keys(environments).join(', ')}.`;

const PAGE = 100;
const print = (line: string) => process.stdout.write(`${line}\n`);

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      environment: { type: 'string' },
      state: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [command, merchantId, deliveryId] = positionals;
  if (values.help || command === undefined) {
    print(HELP);
    return values.help ? 0 : 1;
  }
  const environment = environments[values.environment as EnvironmentName];
  if (environment === undefined || merchantId === undefined || (command !== 'list' && command !== 'redrive')) {
    throw new Error(`that is not a command of this tool\n\n${HELP}`);
  }
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({ region: environment.region }), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const payments = createPayments(documents, `tillflow-${environment.name}-payments`);
  if (command === 'list') {
    for await (const { announcement, state, attempts, lastStatus = '-' } of deliveriesOf(
      payments,
      merchantId,
      values.state,
    )) {
      const { eventId, at, type } = announcement;
      print([at, eventId, state.padEnd(9), String(attempts).padStart(2), lastStatus.padEnd(16), type].join('  '));
    }
    return 0;
  }
  let driven = 0;
  for await (const { announcement } of deliveriesOf(payments, merchantId, 'dead')) {
    const { eventId } = announcement;
    if (deliveryId === undefined || deliveryId === eventId) {
      await driveAgain(payments, eventId);
      driven++;
    }
  }
  print(`${driven} deliveries are due again`);
  return deliveryId !== undefined && driven === 0 ? 1 : 0;
}

async function* deliveriesOf(payments: Payments, merchantId: string, state?: string): AsyncGenerator<Delivery> {
  let after: string | undefined;
  do {
    const page = await payments.list('delivery', {
      merchantId,
      limit: PAGE,
      ...(after !== undefined && { after }),
      ...(state !== undefined && { where: { state } }),
    });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

async function driveAgain(payments: Payments, deliveryId: string): Promise<void> {
  const dueAt = new Date().toISOString();
  await payments.change('delivery', deliveryId, ({ state }) =>
    state === 'dead' ? { state: 'pending' as const, attempts: 0, dueAt } : undefined,
  );
}
