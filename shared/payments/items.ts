/**
 * The items of the `payments` table by kind; each kind has a file in `items/`.
 *
 * Times are ISO 8601 strings in UTC. Amounts are integers in minor units. Order codes and ids are strings. No item holds a
 * token: tokens are in the `tokens` table, under the ids stored here. New attributes are optional, and a writer keeps
 * attributes that it does not know, so two versions of the code can work on one item during a deployment.
 */

import type { Account } from './items/account.ts';
import type { Card } from './items/card.ts';
import type { Charge } from './items/charge.ts';
import type { Delivery } from './items/delivery.ts';
import type { Finding } from './items/finding.ts';
import type { Inbox } from './items/inbox.ts';
import type { OrderPointer } from './items/order-pointer.ts';
import type { RfOrder } from './items/rf-order.ts';
import type { Sale } from './items/sale.ts';
import type { TerminalLease } from './items/terminal-lease.ts';

export interface Items {
  readonly sale: Sale;
  readonly charge: Charge;
  readonly card: Card;
  readonly account: Account;
  readonly 'terminal-lease': TerminalLease;
  readonly 'rf-order': RfOrder;
  /** By order code. */
  readonly 'order-pointer': OrderPointer;
  /** By subject. */
  readonly inbox: Inbox;
  readonly delivery: Delivery;
  /** By transaction id. */
  readonly finding: Finding;
}

export type Kind = keyof Items;
