/**
 * `npm run deliveries`: what was posted to the callback address of an account, and what was not taken. Uses the AWS
 * credentials and region of the shell. Driving again is safe: a receiver knows an event by its id.
 */
import type { Payments } from '../shared/payments/store.ts';
import { allOf, checkOption, environmentNames, print, runCommand, UsageError } from './command.ts';

const HELP = `Usage: npm run deliveries -- list <merchantId> --environment <name> [--state pending|delivered|dead]
       npm run deliveries -- redrive <merchantId> [<deliveryId>] --environment <name>

list     the deliveries of an account, newest first
redrive  posts the dead deliveries of an account once more, or one of them; the next run of the reconciler begins with it

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
  let driven = 0;
  for await (const { event } of allOf(payments, 'delivery', merchantId, { state: 'dead' })) {
    const { eventId } = event;
    if (deliveryId === undefined || deliveryId === eventId) {
      await driveAgain(payments, eventId);
      driven++;
    }
  }
  print(`${driven} deliveries are due again`);
  return deliveryId !== undefined && driven === 0 ? 1 : 0;
});

async function driveAgain(payments: Payments, deliveryId: string): Promise<void> {
  const dueAt = new Date().toISOString();
  await payments.change('delivery', deliveryId, ({ state }) =>
    state === 'dead' ? { state: 'pending' as const, attempts: 0, dueAt } : undefined,
  );
}
