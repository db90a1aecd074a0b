/**
 * The platform's other orders of one RF order. Where the answer to a creation was lost, the platform may have made two of
 * one reference. The payment code of the other is shown to nobody; but to a payer who is notified the platform wrote of
 * both, and takes money for both. Only the platform's messages name the other one; its transactions prove whose it is.
 */
import { FlowError } from '../errors.ts';
import type { RfOrder } from '../items.ts';
import type { Platform, TransactionRecord } from '../platform/platform.ts';
import { unpark } from '../webhooks/inbox.ts';
import type { SettlementDeps } from './settlement.ts';

/** Codes of those that were paid. */
export function othersPaid({ payments }: RfOrder): readonly string[] {
  return payments.flatMap(({ orderCode }) => orderCode ?? []);
}

/** The transactions of those whose reference is the order's. What cannot be read proves nothing. */
export async function readOthers(
  { rfOrderId }: RfOrder,
  codes: readonly string[],
  platform: Platform,
): Promise<readonly TransactionRecord[]> {
  const found: TransactionRecord[] = [];
  for (const code of codes) {
    const records = await platform.listOrderTransactions(code).then((list) => list.records, nothing);
    found.push(...(records.some(({ merchantTrns = '' }) => merchantTrns.endsWith(rfOrderId)) ? records : []));
  }
  return found;
}

function nothing(error: unknown): [] {
  if (!(error instanceof FlowError)) {
    throw error;
  }
  return [];
}

/** From now on, what is told of one that has paid is told of the order. */
export async function rememberOthers(
  order: RfOrder,
  codes: readonly string[],
  { payments, now }: SettlementDeps,
): Promise<void> {
  const { rfOrderId, merchantId } = order;
  for (const code of codes.filter((one) => othersPaid(order).includes(one))) {
    await payments.create('order', code, { merchantId, rfOrderId }, { listed: false });
    await unpark(payments, code, now());
  }
}
