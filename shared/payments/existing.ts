/** Reading what a step works on. A step is only ever started for items that exist, so a missing one is a fault. */
import { FaultError } from '../flow/errors.ts';
import type { Account, Items, Kind } from './items.ts';
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
