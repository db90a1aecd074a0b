/**
 * The platform's other orders for one RF order. If the answer to a creation was lost, the platform may have created two
 * orders with our reference. We never show the payment code of the other one, but the platform may have sent it to the
 * payer, and takes money for both. Webhooks name the other order code. Only its transactions prove that it is ours.
 */
import { FlowError } from '../../flow/errors.ts';
import type { RfOrder } from '../../payments/items/rf-order.ts';
import type { TransactionRecord, Viva } from '../../viva/viva.ts';
import { unpark } from '../../webhooks/inbox.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { isReferenced } from '../records/proof.ts';
import { familyOf } from '../records/search.ts';

/** The codes of other orders whose transactions were seen. */
export function otherCodesOf({ otherCodes = [], payments }: RfOrder): readonly string[] {
  return [...new Set([...otherCodes, ...payments.flatMap(({ orderCode }) => orderCode ?? [])])];
}

/** The known codes and those of these records; empty if no code is new. */
export function otherCodesIn(order: RfOrder, records: readonly TransactionRecord[]): readonly string[] {
  const known = otherCodesOf(order);
  const codes = records
    .filter((record) => isReferenced(record, order.rfOrderId))
    .flatMap(({ orderCode }) => (orderCode === undefined || orderCode === order.orderCode ? [] : [orderCode]));
  return codes.every((code) => known.includes(code)) ? [] : [...new Set([...known, ...codes])];
}

/** Reads the transactions of other orders with our reference, and their children. An order that cannot be read is left out. */
export async function readOthers(
  { rfOrderId }: RfOrder,
  codes: readonly string[],
  viva: Viva,
): Promise<readonly TransactionRecord[]> {
  const found: TransactionRecord[] = [];
  for (const code of codes) {
    const records = await viva.listOrderTransactions(code).then((list) => list.records, nothing);
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

/** Stores pointers for new codes, so that webhooks about them lead to the order. Safe to run twice. */
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
