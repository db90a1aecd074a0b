/** The schemas of `POST /rf-orders` and of an RF order. */
import * as z from 'zod/mini';
import { rfOrderStatuses } from '../../payments/lifecycle.ts';
import { customerFields } from './charge.ts';
import { failure } from './failure.ts';
import {
  amount,
  between,
  currency,
  customerTrns,
  id,
  MIN_TERMINAL_AMOUNT,
  merchantTrns,
  minorUnits,
  type Shows,
  text,
  time,
  timelineEntry,
  uuid,
} from './fields.ts';

/** Five days. A bank transfer may take one day. */
const MAX_EXPIRY_SECONDS = 432_000;
const MIN_EXPIRY_SECONDS = 60;

/** The platform's order takes less than its charge does. */
export const payer = z.strictObject({
  ...customerFields,
  email: z.exactOptional(
    z.email('must be an e-mail address').check(z.maxLength(50, 'must have at most 50 characters')),
  ),
  fullname: z.exactOptional(text(100)),
});

export const rfOrderBody = z.strictObject({
  merchantId: uuid,
  amount: amount(MIN_TERMINAL_AMOUNT),
  currency,
  disableExactAmount: z._default(z.boolean(), false),
  expiresInSeconds: z._default(
    z.nullable(
      z.int('must be an integer or null').check(...between(MIN_EXPIRY_SECONDS, MAX_EXPIRY_SECONDS, 'seconds')),
    ),
    MAX_EXPIRY_SECONDS,
  ),
  merchantTrns: z.exactOptional(merchantTrns),
  customerTrns: z.exactOptional(customerTrns),
  customer: z.exactOptional(payer),
  isvAmount: z._default(amount(0), 0),
  notifyCustomer: z._default(z.boolean(), false),
});

export type RfOrderBody = z.output<typeof rfOrderBody>;

export const rfOrderStatus = z.enum(rfOrderStatuses);

export const instructions = z.object({ en: z.string(), el: z.string() });

export const rfPayment = z.object({
  transactionId: z.string(),
  amount: minorUnits,
  at: time,
  returned: z.optional(minorUnits),
  reversed: z.optional(z.boolean()),
  commission: z.optional(z.int()),
});

/** The requested fields that are not shown. A new field of the request is shown, or is named here. */
type NotShown = 'customer';

export const rfOrder = z.object({
  rfOrderId: id,
  status: rfOrderStatus,
  final: z.boolean(),
  merchantId: id,
  orderCode: z.optional(z.string()),
  rfCode: z.optional(z.string().check(z.regex(/^RF(\d{20}|\d{23})$/))),
  rfCodeGrouped: z.optional(z.string()),
  amount: minorUnits,
  amountPaid: minorUnits,
  currency: currency,
  disableExactAmount: z.boolean(),
  isvAmount: minorUnits,
  merchantTrns: z.optional(z.string()),
  customerTrns: z.optional(z.string()),
  notifyCustomer: z.boolean(),
  expiresInSeconds: z.nullable(z.int()),
  expiresAt: z.nullable(time),
  instructions: z.optional(instructions),
  payments: z.array(rfPayment),
  commission: z.optional(z.int()),
  late: z.boolean(),
  overpaid: z.boolean(),
  cancelRequestedAt: z.optional(time),
  failure: z.optional(failure),
  createdAt: time,
  updatedAt: time,
  timeline: z.optional(z.array(timelineEntry)),
}) satisfies Shows<Exclude<keyof RfOrderBody, NotShown>>;
