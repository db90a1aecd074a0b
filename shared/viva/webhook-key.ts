/**
 * The key with which the platform verifies that an address is ours (docs/viva.md, "Webhooks"): the platform reads it
 * from our address, and we read it from the platform. It rarely changes, so it is kept for a day.
 */
import * as z from 'zod/mini';
import type { Tokens } from '../tokens/store.ts';
import type { AccessTokens } from './access-tokens.ts';
import { isvOwner } from './credentials.ts';
import { failed, successOf } from './outcomes.ts';
import { createSend, type VivaCall, type VivaDeps } from './send.ts';

const KEPT_SECONDS = 86_400;
const MAY_TAKE_MS = 4_000;

const answered = z.object({ Key: z.optional(z.string()), key: z.optional(z.string()) });

const ofMerchant: VivaCall = { method: 'GET', on: 'baseUrl', path: '/api/messages/config/token', as: 'apiKey' };
const ofIsv: VivaCall = { method: 'GET', on: 'apiUrl', path: '/isv/v1/webhooks/token', as: 'isv' };

/** `accountId` is a merchant id or `isv`. */
export type WebhookKey = (accountId: string, remainingMs: () => number) => Promise<string>;

export function createWebhookKey(
  deps: VivaDeps & { readonly accessTokens: AccessTokens; readonly tokens: Tokens },
): WebhookKey {
  const { tokens, now = Date.now } = deps;
  return async (accountId, remainingMs) => {
    const kept = await tokens.get('webhook-key', accountId);
    if (kept !== undefined) {
      return kept.key;
    }
    const send = createSend(deps, { merchantId: accountId }, remainingMs);
    const call = accountId === isvOwner ? ofIsv : ofMerchant;
    const outcome = await send({ ...call, timeoutMs: MAY_TAKE_MS });
    const { body } = successOf('readWebhookKey', outcome, answered);
    const key = body.Key ?? body.key;
    if (key === undefined) {
      throw failed('readWebhookKey', outcome);
    }
    await tokens.put('webhook-key', accountId, { key }, Math.floor(now() / 1000) + KEPT_SECONDS, 0);
    return key;
  };
}
