/**
 * Reads an item that must exist. A step is started only for existing items, so both functions throw a FaultError
 * ITEM_MISSING for a missing one.
 */
import { FaultError } from '../flow/errors.ts';
import type { Account } from './items/account.ts';
import type { Items, Kind } from './items.ts';
import type { Payments } from './store.ts';

export async function existing<K extends Kind>(payments: Payments, kind: K, id: string): Promise<Items[K]> {
  const item = await payments.get(kind, id);
  if (item === undefined) {
    throw new FaultError('ITEM_MISSING', `no ${kind} under this id`, { context: { kind } });
  }
  return item;
}

export function accountOf(payments: Payments, subject: { readonly merchantId: string }): Promise<Account> {
  return existing(payments, 'account', subject.merchantId);
}
