/**
 * The platform's other orders of one RF order. Where the answer to a creation was lost, the platform may have made two of
 * one reference. The payment code of the other is shown to nobody; but to a payer who is notified the platform wrote of
 * both, and takes money for both. Only the platform's messages name the other one; its transactions prove whose it is: a
 * message binds nothing.
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

/** From now on, what is told of those that are new is told of the order. */
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
