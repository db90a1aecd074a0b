/**
 * `npm run reviews`: what a person has to review, of one merchant or of all: sales, charges and RF orders under review,
 * and payments at the platform that need a decision although nothing is open (see Finding). Uses the AWS credentials
 * and region of the shell.
 */
import type { Finding } from '../shared/payments/items/finding.ts';
import type { Items } from '../shared/payments/items.ts';
import type { ReviewKind } from '../shared/payments/queries.ts';
import type { Payments } from '../shared/payments/store.ts';
import { environmentNames, everyPage, print, runCommand, UsageError } from './command.ts';

const HELP = `Usage: npm run reviews -- list [<merchantId>] --environment <name>
       npm run reviews -- done <merchantId> <transactionId> --environment <name>

list  lists what a person has to review, of one merchant or of all, latest first: resources with status needs_review and
      the reason, and payments at the platform:
      UNKNOWN_PAYMENT  carries our reference and belongs to no resource of ours
      PAID_TWICE       was taken in addition to another payment of the same sale
      FOUND_LATE       succeeded after the storefront was informed that it had not; the last column names later sales
done  removes such a payment from the list, after it was refunded or deliberately kept

Environments: ${environmentNames}.`;

await runCommand(HELP, [], async ({ positionals, payments }) => {
  const [command, merchantId, transactionId] = positionals;
  if (command === 'list' && transactionId === undefined) {
    await list(payments, merchantId);
    return 0;
  }
  if (merchantId === undefined || command !== 'done' || transactionId === undefined) {
    throw new UsageError();
  }
  return (await done(payments, merchantId, transactionId)) ? 0 : 1;
});

async function list(payments: Payments, merchantId: string | undefined): Promise<void> {
  for (const kind of ['sale', 'charge', 'rf-order', 'finding'] as const) {
    const reviews = everyPage<Items[ReviewKind]>((limit, after) => payments.reviews(kind, limit, after));
    for await (const item of reviews) {
      if (merchantId === undefined || item.merchantId === merchantId) {
        print(lineOf(kind, item));
      }
    }
  }
}

function lineOf(kind: ReviewKind, item: Items[ReviewKind]): string {
  if ('reason' in item) {
    return findingLine(item);
  }
  const id = 'rfOrderId' in item ? item.rfOrderId : 'terminalId' in item ? item.saleId : item.chargeId;
  return [kind, id, item.updatedAt, item.failure?.code ?? '-', item.merchantId].join('  ');
}

function findingLine({
  transactionId,
  bookedAt,
  createdAt,
  reason,
  amount,
  currency,
  id,
  merchantId,
  laterSales = [],
}: Finding): string {
  const what = [reason, String(amount), currency, `for ${id}`, ...laterSales.map((saleId) => `later ${saleId}`)];
  return ['payment', transactionId, bookedAt ?? createdAt, ...what, merchantId].join('  ');
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
