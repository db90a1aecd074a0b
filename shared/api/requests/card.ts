/** The body of `POST /cards`. */
import * as z from 'zod/mini';
import { consent, customerReference, uuid } from './fields.ts';

export const cardBody = z.strictObject({
  merchantId: uuid,
  transactionId: uuid,
  customerReference: z.exactOptional(customerReference),
  consent: z.exactOptional(consent),
});

export type CardBody = z.output<typeof cardBody>;
