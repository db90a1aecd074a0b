/** The schemas of `POST /sales` and of a sale, with its card and its additional charge. */
import * as z from 'zod/mini';
import { saleStatuses } from '../../payments/lifecycle.ts';
import { cardStatus } from './card.ts';
import { additionalCharge, chargeFields, refund } from './charge.ts';
import { failure, failureCode } from './failure.ts';
import {
  amount,
  consent,
  currency,
  customerReference,
  customerTrns,
  id,
  installments,
  MIN_TERMINAL_AMOUNT,
  merchantTrns,
  minorUnits,
  type Shows,
  text,
  time,
  timelineEntry,
  uuid,
} from './fields.ts';

/** The platform's fields for Greek fiscal marking. They are passed through. */
const fiscal = z.record(
  z.string().check(z.regex(/^aade[A-Za-z0-9]{1,60}$/, 'must begin with aade')),
  z.union([text(4096), z.number(), z.boolean()]),
);

export const saleBody = z.strictObject({
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

export const saleStatus = z.enum(saleStatuses);

export const totals = z.object({
  terminal: minorUnits,
  charged: minorUnits,
  authorized: minorUnits,
  refunded: minorUnits,
  net: z.int(),
});

export const receipt = z.object({
  authorizationId: z.optional(z.string()),
  retrievalReferenceNumber: z.optional(z.string()),
  applicationLabel: z.optional(z.string()),
  aid: z.optional(z.string()),
  verificationMethod: z.optional(z.string()),
});

export const tokenization = z.object({
  status: z.enum(['none', 'pending', 'stored', 'refused']),
  code: z.optional(failureCode),
});

export const saleCard = z.object({
  cardId: z.string(),
  status: cardStatus,
  expirationMonth: z.int(),
  expirationYear: z.int(),
  maskedNumber: z.optional(z.string()),
  customerReference: z.optional(z.string()),
});

/** The requested fields that are not shown. A new field of the request is shown, or is named here. */
type NotShown =
  | 'customerTrns'
  | 'tipAmount'
  | 'isvAmount'
  | 'maxInstallments'
  | 'sourceCode'
  | 'fiscal'
  | 'tokenize'
  | 'customerReference'
  | 'consent';

export const sale = z.object({
  saleId: id,
  status: saleStatus,
  final: z.boolean(),
  merchantId: id,
  terminalId: z.string(),
  cashRegisterId: z.string(),
  amount: minorUnits,
  currency: currency,
  merchantTrns: z.optional(z.string()),
  transactionId: z.optional(id),
  abortRequestedAt: z.optional(time),
  terminalHeldUntil: z.optional(time),
  refundedAmount: minorUnits,
  refunds: z.array(refund),
  totals: totals,
  receipt: z.optional(receipt),
  tokenization: tokenization,
  card: z.optional(saleCard),
  additionalCharge: z.optional(additionalCharge),
  failure: z.optional(failure),
  laterSales: z.optional(z.array(id)),
  createdAt: time,
  updatedAt: time,
  timeline: z.optional(z.array(timelineEntry)),
}) satisfies Shows<Exclude<keyof SaleBody, NotShown>>;
