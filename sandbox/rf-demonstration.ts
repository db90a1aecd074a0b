/**
 * The second part of the demonstration: an order that is paid by bank transfer. It is created, its RF Payment Code is
 * shown, a payer's bank sends the money, a webhook reports it, and the order becomes paid by the platform's records.
 */
import { euros, type Shop } from './shop.ts';

const AMOUNT = 4200;
const WAIT_SECONDS = 20;

interface ShownOrder {
  readonly rfOrderId: string;
  readonly status: string;
  readonly amountPaid: number;
  readonly rfCode: string;
  readonly rfCodeGrouped: string;
  readonly instructions: { readonly en: string };
}

/** Resolves to the differences between the API and the ledger, one line each; empty when they agree. */
export async function demonstrateRfOrder(
  shop: Shop,
  merchantId: string,
  print: (line: string) => void,
): Promise<string[]> {
  print(`Another guest pays a booking of ${euros(AMOUNT)} by bank transfer.`);
  print('');
  const body = { merchantId, amount: AMOUNT, currency: 'EUR', merchantTrns: 'booking 7' };
  const order = await shop.api<ShownOrder>('POST', '/rf-orders', { body });
  print(`  ${order.status.padEnd(22)} ${order.rfCodeGrouped}`);
  print(`  ${order.instructions.en}`);
  await shop.control('POST', '/_sim/bank/transfers', { rfCode: order.rfCode, amount: AMOUNT });
  print('  transferred            at the simulated bank');
  const path = `/rf-orders/${order.rfOrderId}`;
  const paid = await shop.api<ShownOrder>('GET', path, { waitSeconds: WAIT_SECONDS });
  print('');
  print(`The order is ${paid.status}; ${euros(paid.amountPaid)} was paid.`);
  return differences(paid, shop);
}

async function differences({ rfOrderId, status, amountPaid }: ShownOrder, shop: Shop): Promise<string[]> {
  const { entries } = await shop.control<{ entries: readonly { kind: string; amount: number }[] }>(
    'GET',
    `/_sim/ledger?merchantTrns=${rfOrderId}`,
  );
  const found = entries.map(({ kind, amount }) => `${kind} of ${amount}`).join(', ');
  const expected = `rf_credit of ${AMOUNT}`;
  return [
    ...(status === 'paid' && amountPaid === AMOUNT
      ? []
      : [`the API says the order is ${status} with ${amountPaid}, not paid with ${AMOUNT}`]),
    ...(found === expected ? [] : [`the ledger has [${found}] of the order, not [${expected}]`]),
  ];
}
