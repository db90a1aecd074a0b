/**
 * `npm run deliveries`: the deliveries to the callback address of an account, and those that failed. Uses the AWS
 * credentials and region of the shell. Sending again is safe: a receiver recognizes an event by its id.
 */
import type { Payments } from '../shared/payments/store.ts';
import { allOf, checkOption, environmentNames, print, runCommand, UsageError } from './command.ts';

const HELP = `Usage: npm run deliveries -- list <merchantId> --environment <name> [--state pending|delivered|dead]
       npm run deliveries -- redrive <merchantId> [<deliveryId>] --environment <name>

list     prints the deliveries of an account, newest first
redrive  sends dead deliveries again: all of the account, or only <deliveryId>.
         The reconciler sends them in its next run, within five minutes.

A delivery is one event that is posted to the callback address of the account. It is dead after three days without a
2xx answer.

Environments: ${environmentNames}.`;

await runCommand(HELP, ['state'], async ({ positionals, values, payments }) => {
  const [command, merchantId, deliveryId] = positionals;
  if (merchantId === undefined || (command !== 'list' && command !== 'redrive')) {
    throw new UsageError();
  }
  checkOption('state', values['state'], ['pending', 'delivered', 'dead']);
  if (command === 'list') {
    const { state: wanted } = values;
    const deliveries = allOf(payments, 'delivery', merchantId, wanted === undefined ? undefined : { state: wanted });
    for await (const { event, state, attempts, lastStatus = '-' } of deliveries) {
      const { eventId, at, type } = event;
      print([at, eventId, state.padEnd(9), String(attempts).padStart(2), lastStatus.padEnd(16), type].join('  '));
    }
    return 0;
  }
  let redriven = 0;
  for await (const { event } of allOf(payments, 'delivery', merchantId, { state: 'dead' })) {
    const { eventId } = event;
    if (deliveryId === undefined || deliveryId === eventId) {
      await redrive(payments, eventId);
      redriven++;
    }
  }
  print(`Deliveries that will be sent again: ${redriven}`);
  return deliveryId !== undefined && redriven === 0 ? 1 : 0;
});

async function redrive(payments: Payments, deliveryId: string): Promise<void> {
  const dueAt = new Date().toISOString();
  await payments.change('delivery', deliveryId, ({ state }) =>
    state === 'dead' ? { state: 'pending' as const, attempts: 0, dueAt } : undefined,
  );
}
