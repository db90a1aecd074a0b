/** Finds the inboxes of webhooks, by the resource that they are about and by the account that received them. */

import type { Inbox } from '../shared/payments/items/inbox.ts';
import type { Payments } from '../shared/payments/store.ts';
import { isvOwner } from '../shared/viva/credentials.ts';
import { allOf } from './command.ts';

/**
 * The inboxes of everything that `name` is also known by: a webhook is stored under our own id, an order code or a
 * transaction id, whichever it contained. A transaction id alone leads to no other name.
 */
export async function inboxesAbout(payments: Payments, name: string): Promise<readonly Inbox[]> {
  const names = await namesOf(payments, name);
  const inboxes = await Promise.all([...names].map((subject) => payments.get('inbox', subject)));
  return inboxes.filter((inbox) => inbox !== undefined);
}

async function namesOf(payments: Payments, name: string): Promise<ReadonlySet<string>> {
  const id = (await payments.get('order-pointer', name))?.rfOrderId ?? name;
  const [rf, sale, charge] = await Promise.all([
    payments.get('rf-order', id),
    payments.get('sale', id),
    payments.get('charge', id),
  ]);
  const names = [
    ...[name, id, rf?.orderCode, sale?.transactionId, charge?.transactionId],
    ...(rf?.payments ?? []).map(({ transactionId }) => transactionId),
    ...(charge?.captures ?? []).flatMap(({ captureId, transactionId }) => [captureId, transactionId]),
  ];
  return new Set(names.filter((one) => one !== undefined));
}

/**
 * The inboxes that may contain a webhook to `account`; most contain others, too. An inbox is listed under the first
 * account that received a webhook about its subject: for a connected merchant that may be the ISV, for the ISV any of
 * its merchants, of which those in `connected` are read.
 */
export async function* inboxesTo(
  payments: Payments,
  account: string,
  connected: readonly string[] = [],
): AsyncGenerator<Inbox> {
  const ofIsv = (await payments.get('account', account))?.mode === 'isv' ? [isvOwner] : [];
  for (const merchantId of new Set([account, ...ofIsv, ...connected])) {
    yield* allOf(payments, 'inbox', merchantId);
  }
}
