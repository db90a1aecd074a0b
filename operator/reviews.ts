/**
 * `npm run reviews`: what waits for a person, of one merchant or of all: sales, charges and RF orders in review, and payments at the
 * platform that need one although nothing is open (see Finding). Uses the AWS credentials and region of the shell.
 */
import type { Finding, Items } from '../shared/payments/items.ts';
import type { ReviewKind } from '../shared/payments/queries.ts';
import type { Payments } from '../shared/payments/store.ts';
import { environmentNames, print, runCommand, UsageError } from './command.ts';

const PAGE = 100;

const HELP = `Usage: npm run reviews -- list [<merchantId>] --environment <name>
       npm run reviews -- done <merchantId> <transactionId> --environment <name>

list  what a person must look at, of one merchant or of all, latest first: resources with status needs_review and why, and payments at the platform
      UNKNOWN_PAYMENT  that carry our reference and belong to nothing we know
      PAID_TWICE       that were taken beside another payment of the same sale
      FOUND_LATE       that went through after the storefront was told they had not; the last column names later sales
done  takes such a payment off the list, once it was given back or kept knowingly

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
    for await (const item of reviewsOf(payments, kind)) {
      if (merchantId === undefined || item.merchantId === merchantId) {
        print(lineOf(kind, item));
      }
    }
  }
}

async function* reviewsOf(payments: Payments, kind: ReviewKind): AsyncGenerator<Items[ReviewKind]> {
  let after: string | undefined;
  do {
    const page = await payments.reviews(kind, PAGE, after);
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
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
    print('there is no such payment on the list of this merchant');
    return false;
  }
  await payments.change('finding', id, ({ state }) => (state === 'open' ? { state: 'done' as const } : undefined));
  print('taken off the list');
  return true;
}
