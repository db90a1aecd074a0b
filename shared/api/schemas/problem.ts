/** The schema of a problem: `application/problem+json` (RFC 9457). */
import * as z from 'zod/mini';
import { type ProblemCode, problems } from '../problems.ts';
import { id, platformReason } from './fields.ts';

export const problemCode = z.enum(Object.keys(problems) as readonly ProblemCode[]);

export const violation = z.object({
  detail: z.string(),
  pointer: z.optional(z.string()),
  parameter: z.optional(z.string()),
});

export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string(),
  code: problemCode,
  retryable: z.boolean(),
  requestId: z.string(),
  saleId: z.optional(id),
  rfOrderId: z.optional(id),
  platform: z.optional(platformReason),
  errors: z.optional(z.array(violation)),
});
