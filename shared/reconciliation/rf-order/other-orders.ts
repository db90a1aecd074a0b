/**
 * The platform's other orders of one RF order. If the answer to a creation was lost, the platform may have two orders
 * with one reference. We show the payment code of the other order to nobody. But with `notifyCustomer` the platform
 * wrote to the payer about both, and takes money for both. Only webhooks name the other order. Its transactions prove
 * that it is ours, a webhook does not.
 */
import { FlowError } from '../../flow/errors.ts';
import type { RfOrder } from '../../payments/items.ts';
import type { Platform, TransactionRecord } from '../../viva/viva.ts';
import { unpark } from '../../webhooks/inbox.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { isReferenced } from '../records/proof.ts';
import { familyOf } from '../records/search.ts';

/** Those whose transactions were seen. */
export function otherCodesOf({ otherCodes = [], payments }: RfOrder): readonly string[] {
  return [...new Set([...otherCodes, ...payments.flatMap(({ orderCode }) => orderCode ?? [])])];
}

/** With those of these transactions, if any of them is new. */
export function otherCodesIn(order: RfOrder, records: readonly TransactionRecord[]): readonly string[] {
  const known = otherCodesOf(order);
  const codes = records
    .filter((record) => isReferenced(record, order.rfOrderId))
    .flatMap(({ orderCode }) => (orderCode === undefined || orderCode === order.orderCode ? [] : [orderCode]));
  return codes.every((code) => known.includes(code)) ? [] : [...new Set([...known, ...codes])];
}

/** The transactions with the order's reference, and their children. What cannot be read proves nothing. */
export async function readOthers(
  { rfOrderId }: RfOrder,
  codes: readonly string[],
  platform: Platform,
): Promise<readonly TransactionRecord[]> {
  const found: TransactionRecord[] = [];
  for (const code of codes) {
    const records = await platform.listOrderTransactions(code).then((list) => list.records, nothing);
    found.push(...familyOf(records, rfOrderId));
  }
  return found;
}

function nothing(error: unknown): [] {
  if (!(error instanceof FlowError)) {
    throw error;
  }
  return [];
}

/** From now on, webhooks about the new ones are about this order. */
export async function rememberOthers(
  before: RfOrder,
  after: RfOrder,
  { payments, now }: ReconciliationDeps,
): Promise<void> {
  const { rfOrderId, merchantId } = after;
  const known = otherCodesOf(before);
  for (const code of otherCodesOf(after).filter((one) => !known.includes(one))) {
    await payments.create('order-pointer', code, { merchantId, rfOrderId }, { listed: false });
    await unpark(payments, code, now());
  }
}
