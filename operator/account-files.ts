/** The two files that an operator writes for an account: its settings and its credentials. */
import * as z from 'zod';
import { callbackUrlProblem } from '../shared/events/callback-url.ts';
import { CALLBACK_SECRET } from '../shared/events/signature.ts';

const client = z.strictObject({ clientId: z.string().min(1), clientSecret: z.string().min(1) });
const pathTokens = z.array(z.string().min(32)).min(1).max(2);

/** `allowPrivate` comes from the environment and concerns callbacks. */
export const settingsFile = ({ allowPrivate }: { readonly allowPrivate: boolean }) =>
  z.strictObject({
    mode: z.enum(['merchant', 'isv']),
    country: z.string().regex(/^[A-Z]{2}$/),
    currency: z.string().regex(/^[A-Z]{3}$/),
    industry: z.string().optional(),
    terminalApi: z.enum(['merchant', 'isv']).default('merchant'),
    isvCapture: z.enum(['reseller', 'bearer']).default('reseller'),
    terminals: z.array(z.string().min(1)),
    returnUrls: z.array(z.url()).default([]),
    callbackUrl: z
      .string()
      .superRefine((address, { addIssue }) => {
        const problem = callbackUrlProblem(address, allowPrivate);
        if (problem !== undefined) {
          addIssue(problem);
        }
      })
      .optional(),
    captureDays: z.int().min(1).max(30).default(5),
    sendSessionRedirectUrl: z.boolean().default(true),
  });

/** Every set is optional: an account has the sets that it uses, and `check` reports missing ones. */
export const credentialsFile = z.strictObject({
  pos: client.optional(),
  smartCheckout: client.optional(),
  native: client.optional(),
  apiKey: z.string().min(1).optional(),
  webhookPathTokens: pathTokens.optional(),
  callbackSecret: z.string().regex(CALLBACK_SECRET).optional(),
});

export const isvCredentialsFile = z.strictObject({
  isv: client.optional(),
  reseller: z.strictObject({ resellerId: z.string().min(1), apiKey: z.string().min(1) }).optional(),
  webhookPathTokens: pathTokens.optional(),
});

/** Throws an Error that names file, field and rule, never a value. */
export function parseFile<T extends z.ZodType>(schema: T, name: string, text: string): z.output<T> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Error(`${name} is not JSON`);
  }
  const parsed = schema.safeParse(data);
  if (!parsed.success) {
    const rules = parsed.error.issues.map(
      ({ path, code, message }) => `${path.join('.') || 'the file'}${code === 'custom' ? ` ${message}` : `: ${code}`}`,
    );
    throw new Error(`${name} does not fit: ${rules.join('; ')}`);
  }
  return parsed.data;
}
