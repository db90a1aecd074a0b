/** The rules between the fields of an RF order. */
import type { Violation } from '../problem.ts';
import type { RfOrderBody } from '../schemas/rf-order.ts';

/** The platform's value for "never". A caller sends null instead. */
const NEVER_EXPIRES = 65_535;

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
