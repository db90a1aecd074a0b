/**
 * `npm run reviews`: what needs review by a person, of one merchant: sales, charges and RF orders under review, and
 * payments at the platform that need a decision although nothing is open (see Finding). Uses the AWS credentials and
 * region of the shell.
 */
import type { Finding } from '../shared/payments/items.ts';
import type { Payments } from '../shared/payments/store.ts';
import { allOf, environmentNames, print, runCommand, UsageError } from './command.ts';

const HELP = `Usage: npm run reviews -- list <merchantId> --environment <name>
       npm run reviews -- done <merchantId> <transactionId> --environment <name>

list  lists what a person has to review, newest first: resources with status needs_review and the reason, and payments:
      UNKNOWN_PAYMENT  carries our reference and belongs to no resource of ours
      PAID_TWICE       was taken in addition to another payment of the same sale
      FOUND_LATE       succeeded after the storefront was informed that it had not; the last column names later sales
done  removes such a payment from the list, after it was refunded or deliberately kept

Environments: ${environmentNames}.`;

await runCommand(HELP, [], async ({ positionals, payments }) => {
  const [command, merchantId, transactionId] = positionals;
  if (merchantId !== undefined && command === 'list' && transactionId === undefined) {
    await list(payments, merchantId);
    return 0;
  }
  if (merchantId === undefined || command !== 'done' || transactionId === undefined) {
    throw new UsageError();
  }
  return (await done(payments, merchantId, transactionId)) ? 0 : 1;
});

async function list(payments: Payments, merchantId: string): Promise<void> {
  const where = { status: 'needs_review' };
  for await (const { saleId, updatedAt, failure } of allOf(payments, 'sale', merchantId, where)) {
    print(['sale', saleId, updatedAt, failure?.code ?? '-'].join('  '));
  }
  for await (const { chargeId, updatedAt, failure } of allOf(payments, 'charge', merchantId, where)) {
    print(['charge', chargeId, updatedAt, failure?.code ?? '-'].join('  '));
  }
  for await (const { rfOrderId, updatedAt, failure } of allOf(payments, 'rf-order', merchantId, where)) {
    print(['rf-order', rfOrderId, updatedAt, failure?.code ?? '-'].join('  '));
  }
  for await (const finding of allOf(payments, 'finding', merchantId, { state: 'open' })) {
    print(lineOf(finding));
  }
}

function lineOf({
  transactionId,
  bookedAt,
  createdAt,
  reason,
  amount,
  currency,
  id,
  laterSales = [],
}: Finding): string {
  const what = [reason, String(amount), currency, `for ${id}`, ...laterSales.map((saleId) => `later ${saleId}`)];
  return ['payment', transactionId, bookedAt ?? createdAt, ...what].join('  ');
}

async function done(payments: Payments, merchantId: string, transactionId: string): Promise<boolean> {
  const id = transactionId.toLowerCase();
  const finding = await payments.get('finding', id);
  if (finding?.merchantId !== merchantId) {
    print('There is no such payment on the list of this merchant.');
    return false;
  }
  await payments.change('finding', id, ({ state }) => (state === 'open' ? { state: 'done' as const } : undefined));
  print('The payment was removed from the list.');
  return true;
}
