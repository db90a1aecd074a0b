/** The schema of a failure: why a sale, a card, a charge or an RF order ended as it did. */
import * as z from 'zod/mini';
import { type FailureCode, failures } from '../../payments/failures.ts';
import { platformReason } from './fields.ts';

export const failureCode = z.enum(Object.keys(failures) as readonly FailureCode[]);

export const failure = z.object({
  code: failureCode,
  message: z.string(),
  retryable: z.boolean(),
  platform: z.optional(platformReason),
});
