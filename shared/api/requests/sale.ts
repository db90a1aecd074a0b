/** The rules for the body of `POST /sales` that do not depend on the account. */
import { Problem, type Violation } from '../problem.ts';
import { type SaleBody, saleBody } from '../schemas/sale.ts';
import { validBody } from './body.ts';
import { chargeRules } from './charge.ts';

export function validSaleBody(data: unknown): SaleBody {
  if (typeof data === 'object' && data !== null && Object.hasOwn(data, 'preauth')) {
    throw new Problem(
      'TERMINAL_PREAUTH_NOT_OFFERED',
      'A terminal sale cannot hold an amount. Send additionalCharge.preauth instead.',
      {
        errors: [{ pointer: '/preauth', detail: 'is offered as /additionalCharge/preauth' }],
      },
    );
  }
  return validBody(saleBody, data, saleRules);
}

function saleRules(sale: SaleBody): Violation[] {
  const charge = sale.additionalCharge;
  const broken: [boolean, string, string][] = [
    [sale.tipAmount > sale.amount, '/tipAmount', 'must be at most amount'],
    [sale.isvAmount >= sale.amount, '/isvAmount', 'must be less than amount'],
    [charge !== undefined && !sale.tokenize, '/additionalCharge', 'needs tokenize'],
  ];
  return [
    ...broken.flatMap(([isBroken, pointer, detail]) => (isBroken ? [{ pointer, detail }] : [])),
    ...(charge ? chargeRules(charge, '/additionalCharge') : []),
  ];
}
