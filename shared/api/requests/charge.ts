/** The fields of a charge of a stored card, as `additionalCharge` of a sale has them, and the rules between them. */
import * as z from 'zod/mini';
import type { Violation } from '../problem.ts';
import { amount, customerTrns, installments, merchantTrns, text } from './fields.ts';

export const customerFields = {
  email: z.exactOptional(z.email('must be an e-mail address').check(z.maxLength(254))),
  phone: z.exactOptional(z.string().check(z.regex(/^\+?\d{4,20}$/, 'must be digits with the country prefix'))),
  fullname: z.exactOptional(text(200)),
  requestLang: z.exactOptional(z.string().check(z.regex(/^[a-z]{2}$/, 'must be two letters, as el'))),
  countryCode: z.exactOptional(z.string().check(z.regex(/^[A-Z]{2}$/, 'must be two letters, as GR'))),
};
const customer = z.strictObject(customerFields);

export const chargeFields = z.strictObject({
  amount: amount(),
  preauth: z._default(z.boolean(), false),
  capture: z.exactOptional(z.enum(['manual', 'immediate'])),
  captureAmount: z.exactOptional(amount()),
  captureIsvAmount: z.exactOptional(amount(0)),
  moto: z._default(z.boolean(), true),
  holderName: z.exactOptional(text(200)),
  installments: z._default(installments, 0),
  allowsRecurring: z._default(z.boolean(), false),
  isvAmount: z._default(amount(0), 0),
  merchantTrns: z.exactOptional(merchantTrns),
  customerTrns: z.exactOptional(customerTrns),
  customer: z.exactOptional(customer),
  saleToAcquirerData: z.exactOptional(z.record(z.string(), z.unknown())),
});

export type ChargeFields = z.output<typeof chargeFields>;

/** `at` is the pointer of the charge's object. */
export function chargeRules(charge: ChargeFields, at: string): Violation[] {
  const { preauth, capture, captureAmount, captureIsvAmount } = charge;
  const isPart = captureAmount !== undefined && captureAmount < charge.amount;
  const broken: [boolean, string, string][] = [
    [charge.isvAmount > charge.amount, 'isvAmount', 'must be at most amount'],
    [capture !== undefined && !preauth, 'capture', 'needs preauth'],
    [captureAmount !== undefined && capture !== 'immediate', 'captureAmount', 'needs capture "immediate"'],
    [captureIsvAmount !== undefined && capture !== 'immediate', 'captureIsvAmount', 'needs capture "immediate"'],
    [captureAmount !== undefined && captureAmount > charge.amount, 'captureAmount', 'must be at most amount'],
    [
      captureIsvAmount !== undefined && captureIsvAmount > (captureAmount ?? charge.amount),
      'captureIsvAmount',
      'must be at most captureAmount',
    ],
    [
      isPart && charge.isvAmount > 0 && captureIsvAmount === undefined,
      'captureIsvAmount',
      'is required: the ISV has a share of the amount, and only the ISV knows its share of captureAmount',
    ],
    [preauth && charge.installments > 1, 'installments', 'must be at most 1 with preauth'],
    [preauth && charge.allowsRecurring, 'allowsRecurring', 'must be false with preauth'],
  ];
  return broken.flatMap(([isBroken, field, detail]) => (isBroken ? [{ pointer: `${at}/${field}`, detail }] : []));
}
