/** The body of `POST /sales`, and what can be said about it without knowing the account. */
import * as z from 'zod/mini';
import { Problem, type Violation } from '../problem.ts';
import { validBody } from './body.ts';
import { chargeFields, chargeRules } from './charge.ts';
import {
  amount,
  consent,
  currency,
  customerReference,
  customerTrns,
  installments,
  MIN_TERMINAL_AMOUNT,
  merchantTrns,
  text,
  uuid,
} from './fields.ts';

/** The platform's fields for Greek fiscal marking, passed through. */
const fiscal = z.record(
  z.string().check(z.regex(/^aade[A-Za-z0-9]{1,60}$/)),
  z.union([text(4096), z.number(), z.boolean()]),
);

const saleBody = z.strictObject({
  merchantId: uuid,
  terminalId: text(50),
  cashRegisterId: text(100),
  amount: amount(MIN_TERMINAL_AMOUNT),
  currency,
  merchantTrns: z.exactOptional(merchantTrns),
  customerTrns: z.exactOptional(customerTrns),
  tipAmount: z._default(amount(0), 0),
  isvAmount: z._default(amount(0), 0),
  maxInstallments: z._default(installments, 0),
  sourceCode: z.exactOptional(text(50)),
  fiscal: z.exactOptional(fiscal),
  tokenize: z.boolean(),
  customerReference: z.exactOptional(customerReference),
  consent: z.exactOptional(consent),
  additionalCharge: z.exactOptional(chargeFields),
});

export type SaleBody = z.output<typeof saleBody>;

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
