/**
 * What the payment API does with a transaction that is not an open hold: it charges the card again or gives money back.
 */

import { athensDay } from '../athens.ts';
import { legacyRefusal } from '../http/answers.ts';
import type { Simulator } from '../simulator.ts';
import { declineEventIdOf } from './cards.ts';
import { decline, giveBack, type PaymentDraft, pay } from './money.ts';
import { TRANSACTION_TYPE, type Transaction } from './transactions.ts';

/** Takes money again. A caller that means a capture but names a sale charges the card twice. */
export function chargeAgain(sim: Simulator, parent: Transaction, draft: PaymentDraft): Transaction {
  if (!draft.account.rights.allowCaptures) {
    throw legacyRefusal(sim, 403, `The specified api action is disabled for the merchant ${parent.merchantId}`);
  }
  if (!parent.allowsRecurring || parent.statusId === 'E') {
    throw legacyRefusal(sim, 403, 'The transaction does not allow recurring charge');
  }
  const again = { card: parent.card, parentId: parent.transactionId, ...draft };
  const eventId = declineEventIdOf(draft.amount);
  if (eventId !== undefined) {
    decline(sim, again, false, eventId);
    throw legacyRefusal(sim, 502, 'Transaction failed', eventId);
  }
  return pay(sim, 'charge', again);
}

/** All of a payment on its day is a void. Anything else is a refund. An uncaptured hold is given back whole. */
export function returnMoney(sim: Simulator, parent: Transaction, draft: PaymentDraft): Transaction {
  if (!draft.account.rights.allowRefunds) {
    throw legacyRefusal(sim, 403, `The specified api action is disabled for the merchant ${parent.merchantId}`);
  }
  const { typeId, statusId, amount, returnedAmount } = parent;
  const isHold = typeId === TRANSACTION_TYPE.preauth;
  const returnable = RETURNABLE.includes(typeId) && (statusId === 'F' || (statusId === 'R' && !isHold));
  if (!returnable) {
    throw legacyRefusal(sim, 403, 'The transaction cannot be cancelled or refunded');
  }
  if (draft.amount > amount - returnedAmount || (isHold && draft.amount !== amount)) {
    throw legacyRefusal(sim, 403, 'The amount exceeds what is left of the transaction');
  }
  const wholeOnSameDay = draft.amount === amount && athensDay(parent.atMs) === athensDay(sim.clock.now());
  return giveBack(sim, isHold || wholeOnSameDay ? 'void' : 'refund', parent, draft);
}

const RETURNABLE: readonly number[] = [
  TRANSACTION_TYPE.charge,
  TRANSACTION_TYPE.chargeWithInstallments,
  TRANSACTION_TYPE.capture,
  TRANSACTION_TYPE.preauth,
];
