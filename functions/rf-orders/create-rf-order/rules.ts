/** What the account decides about an RF order. */

import { Problem } from '../../../shared/api/problem.ts';
import type { RfOrderBody } from '../../../shared/api/schemas/rf-order.ts';
import type { Account } from '../../../shared/payments/items.ts';

const COUNTRY = 'GR';
const CURRENCY = 'EUR';

/** Throws what may change with the account's settings; this answer is not kept. */
export function checkAccount(account: Account, body: RfOrderBody): void {
  if (body.isvAmount !== 0 && account.mode !== 'isv') {
    throw new Problem('ISV_AMOUNT_NOT_OFFERED', 'Only an ISV account has an ISV share. Send isvAmount 0.', {
      errors: [{ pointer: '/isvAmount', detail: 'must be 0 for this account' }],
    });
  }
}

/** The final refusal of a business rule, if there is one. */
export function refusalOf(account: Account, body: RfOrderBody): Problem | undefined {
  if (account.country !== COUNTRY || account.currency !== CURRENCY) {
    return new Problem('RF_NOT_AVAILABLE', 'RF orders need an account of a merchant in Greece that trades in EUR.', {
      errors: [{ pointer: '/merchantId', detail: 'is not a merchant in Greece' }],
    });
  }
  return body.currency === CURRENCY
    ? undefined
    : new Problem('RF_NOT_AVAILABLE', 'Bank transfers by RF code are in EUR. Send currency EUR.', {
        errors: [{ pointer: '/currency', detail: `must be ${CURRENCY}` }],
      });
}
