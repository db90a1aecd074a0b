/**
 * Signs callbacks by the Standard Webhooks specification. So the receiver can check that a callback came from us, was not
 * changed, and is not an old one sent again.
 */
import { createHmac } from 'node:crypto';
import { FaultError } from '../flow/errors.ts';

/** `whsec_` and 24 to 64 bytes in Base64. */
export const CALLBACK_SECRET = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/;

/**
 * The headers of a callback. `id` is the same for every attempt, and `atMs` is the time of the attempt. Throws a
 * FaultError CALLBACK_SECRET_MALFORMED for a secret in another form.
 */
export function signedHeaders(
  secret: string,
  id: string,
  atMs: number,
  body: string,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(atMs / 1000));
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

function keyOf(secret: string): Buffer {
  const [, key] = CALLBACK_SECRET.exec(secret) ?? [];
  if (key === undefined) {
    throw new FaultError('CALLBACK_SECRET_MALFORMED', 'the callback secret is not whsec_ and 24 to 64 bytes in Base64');
  }
  return Buffer.from(key, 'base64');
}
