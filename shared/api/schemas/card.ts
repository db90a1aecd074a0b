/** The schemas of `POST /cards` and of a stored card. */
import * as z from 'zod/mini';
import { failure } from './failure.ts';
import { consent, consentShown, customerReference, id, type Shows, time, uuid } from './fields.ts';

export const cardBody = z.strictObject({
  merchantId: uuid,
  transactionId: uuid,
  customerReference: z.exactOptional(customerReference),
  consent: z.exactOptional(consent),
});

export type CardBody = z.output<typeof cardBody>;

/** `expired` is never stored; it follows from the card's month. */
export const cardStatus = z.enum(['pending', 'active', 'expired', 'refused', 'deleted']);

export const card = z.object({
  cardId: z.string(),
  status: cardStatus,
  final: z.boolean(),
  merchantId: id,
  transactionId: id,
  expirationMonth: z.optional(z.int()),
  expirationYear: z.optional(z.int()),
  maskedNumber: z.optional(z.string()),
  customerReference: z.optional(z.string()),
  consent: z.optional(consentShown),
  failure: z.optional(failure),
  createdAt: time,
  updatedAt: time,
}) satisfies Shows<keyof CardBody>;
