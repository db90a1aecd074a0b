/**
 * The schemas of charges of a stored card: `additionalCharge` of a sale, `POST /charges/{chargeId}/capture`, and a charge,
 * alone and inside its sale.
 */
import * as z from 'zod/mini';
import { chargeStatuses } from '../../payments/lifecycle.ts';
import { failure } from './failure.ts';
import {
  amount,
  currency,
  customerTrns,
  id,
  installments,
  merchantTrns,
  minorUnits,
  type Shows,
  text,
  time,
  timelineEntry,
} from './fields.ts';

export const customerFields = {
  email: z.exactOptional(z.email('must be an e-mail address').check(z.maxLength(254))),
  phone: z.exactOptional(z.string().check(z.regex(/^\+?\d{4,20}$/, 'must be digits with the country prefix'))),
  fullname: z.exactOptional(text(200)),
  requestLang: z.exactOptional(z.string().check(z.regex(/^[a-z]{2}$/, 'must be two letters, as el'))),
  countryCode: z.exactOptional(z.string().check(z.regex(/^[A-Z]{2}$/, 'must be two letters, as GR'))),
};
export const customer = z.strictObject(customerFields);

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

export const captureBody = z.strictObject({ amount: amount(), isvAmount: z.exactOptional(amount(0)) });

export type CaptureBody = z.output<typeof captureBody>;

export const chargeStatus = z.enum(chargeStatuses);

/** The status of a capture or a refund. */
const partStatus = z.enum(['pending', 'done', 'refused', 'unknown']);

export const capture = z.object({
  captureId: id,
  amount: minorUnits,
  isvAmount: minorUnits,
  status: partStatus,
  transactionId: z.optional(id),
  failure: z.optional(failure),
});

export const refund = z.object({ refundId: id, amount: minorUnits, status: partStatus });

export const nextAction = z.object({ type: z.enum(['authenticate']) });

export const additionalCharge = z.object({
  chargeId: id,
  status: chargeStatus,
  final: z.boolean(),
  amount: minorUnits,
  authorizedAmount: minorUnits,
  capturedAmount: minorUnits,
  refundedAmount: minorUnits,
  captureBefore: z.nullable(time),
  captures: z.array(capture),
  refunds: z.array(refund),
  transactionId: z.optional(id),
  nextAction: z.optional(nextAction),
  failure: z.optional(failure),
});

/** The requested fields that are not shown. A new field of the request is shown, or is named here. */
type NotShown =
  | 'preauth'
  | 'capture'
  | 'captureAmount'
  | 'captureIsvAmount'
  | 'moto'
  | 'holderName'
  | 'installments'
  | 'allowsRecurring'
  | 'isvAmount'
  | 'customerTrns'
  | 'customer'
  | 'saleToAcquirerData';

export const charge = z.extend(additionalCharge, {
  merchantId: id,
  saleId: z.optional(id),
  cardId: z.optional(z.string()),
  currency: currency,
  merchantTrns: z.optional(z.string()),
  createdAt: time,
  updatedAt: time,
  timeline: z.optional(z.array(timelineEntry)),
}) satisfies Shows<Exclude<keyof ChargeFields, NotShown>>;
