/** The body of `POST /rf-orders`. */
import * as z from 'zod/mini';
import type { Violation } from '../problem.ts';
import { customerFields } from './charge.ts';
import { amount, currency, customerTrns, MIN_TERMINAL_AMOUNT, merchantTrns, text, uuid } from './fields.ts';

/** Five days; a bank transfer may well take one. */
const MAX_EXPIRY_SECONDS = 432_000;
const MIN_EXPIRY_SECONDS = 60;
/** What the platform takes for "never": a caller says null. */
const NEVER_EXPIRES = 65_535;

/** The platform's order takes less than its charge does. */
const customer = z.strictObject({
  ...customerFields,
  email: z.exactOptional(z.email('must be an e-mail address').check(z.maxLength(50))),
  fullname: z.exactOptional(text(100)),
});

export const rfOrderBody = z.strictObject({
  merchantId: uuid,
  amount: amount(MIN_TERMINAL_AMOUNT),
  currency,
  disableExactAmount: z._default(z.boolean(), false),
  expiresInSeconds: z._default(
    z.nullable(z.int().check(z.minimum(MIN_EXPIRY_SECONDS), z.maximum(MAX_EXPIRY_SECONDS))),
    MAX_EXPIRY_SECONDS,
  ),
  merchantTrns: z.exactOptional(merchantTrns),
  customerTrns: z.exactOptional(customerTrns),
  customer: z.exactOptional(customer),
  isvAmount: z._default(amount(0), 0),
  notifyCustomer: z._default(z.boolean(), false),
});

export type RfOrderBody = z.output<typeof rfOrderBody>;

export function rfOrderRules(body: RfOrderBody): Violation[] {
  const { amount, isvAmount, expiresInSeconds, notifyCustomer, customer } = body;
  return [
    ...(notifyCustomer && customer?.email === undefined
      ? [{ pointer: '/customer/email', detail: 'is needed with notifyCustomer' }]
      : []),
    ...(isvAmount >= amount ? [{ pointer: '/isvAmount', detail: 'must be less than amount' }] : []),
    ...(expiresInSeconds === NEVER_EXPIRES
      ? [
          {
            pointer: '/expiresInSeconds',
            detail: `must not be ${NEVER_EXPIRES}; send null for an order that never expires`,
          },
        ]
      : []),
  ];
}
