/** What the account decides about a sale: which terminals, currency, ISV shares and acquirer data it has. */

import { Problem } from '../../../shared/api/problem.ts';
import type { SaleBody } from '../../../shared/api/schemas/sale.ts';
import type { Account } from '../../../shared/payments/items.ts';

const INDUSTRIES_WITH_ACQUIRER_DATA: readonly (string | undefined)[] = ['Hospitality', 'Car Rentals', 'Dropshipping'];

/** Throws what may change with the account's settings or the next request; these answers are not kept. */
export function checkAccount(account: Account, body: SaleBody): void {
  if (!account.terminals.includes(body.terminalId)) {
    throw new Problem('TERMINAL_NOT_FOUND', 'The merchant has no terminal with this terminalId.');
  }
  if (body.isvAmount !== 0 && account.terminalApi !== 'isv') {
    throw isvAmountRefused('/isvAmount');
  }
  const charge = body.additionalCharge;
  if (charge !== undefined && account.mode !== 'isv') {
    if (charge.isvAmount !== 0) {
      throw isvAmountRefused('/additionalCharge/isvAmount');
    }
    if ((charge.captureIsvAmount ?? 0) !== 0) {
      throw isvAmountRefused('/additionalCharge/captureIsvAmount');
    }
  }
}

/** The final refusal of a business rule, if there is one. */
export function refusalOf(account: Account, body: SaleBody): Problem | undefined {
  if (body.currency !== account.currency) {
    return new Problem('CURRENCY_NOT_SUPPORTED', `The account trades in ${account.currency} only.`, {
      errors: [{ pointer: '/currency', detail: `must be ${account.currency}` }],
    });
  }
  const acquirerData = body.additionalCharge?.saleToAcquirerData !== undefined;
  if (acquirerData && !INDUSTRIES_WITH_ACQUIRER_DATA.includes(account.industry)) {
    return new Problem(
      'INDUSTRY_NOT_ELIGIBLE',
      'Only the industries Hospitality, Car Rentals and Dropshipping may send acquirer data.',
      {
        errors: [{ pointer: '/additionalCharge/saleToAcquirerData', detail: 'is not offered to this account' }],
      },
    );
  }
  return undefined;
}

function isvAmountRefused(pointer: string): Problem {
  return new Problem('ISV_AMOUNT_NOT_OFFERED', 'This account does not support an ISV share here. Send isvAmount 0.', {
    errors: [{ pointer, detail: 'must be 0 for this account' }],
  });
}
