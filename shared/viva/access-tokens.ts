/**
 * Access tokens of the platform, one per owner and credential set. They come from memory, then from the `tokens` table,
 * then from the identity server, which is asked at most twice an hour however many functions run.
 *
 * One instance requests a token and holds a lease in the same item. The others use the current token or wait for the
 * new one, and take over when the lease ends. A token is renewed before it ends, so usually nobody waits, and the
 * identity server may be down for a while. Lifetimes count from receipt, by `expires_in`.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FlowError, TransientError } from '../flow/errors.ts';
import type { AccessValue, Stored, Tokens } from '../tokens/store.ts';
import { type ClientSet, type Credentials, isvOwner } from './credentials.ts';
import { type Http, timeoutWithin } from './http.ts';
import { requestAccessToken } from './identity.ts';

interface AccessToken {
  /** The id of its entry in the `tokens` table. */
  readonly id: string;
  readonly value: string;
}

export interface AccessTokens {
  get(merchantId: string, set: ClientSet, remainingMs: () => number): Promise<AccessToken>;
  /** Call it after the platform refused the token. A newer token stays. */
  drop(token: AccessToken): Promise<void>;
}

export interface AccessTokensDeps {
  readonly authUrl: string;
  readonly credentials: Credentials;
  readonly tokens: Tokens;
  readonly fetch?: Http['fetch'];
  readonly now?: Http['now'];
  readonly newFetcherId?: () => string;
}

const REQUEST_TIMEOUT_MS = 4_000;
const SHORTEST_REQUEST_MS = 1_000;
/** Longer than the request takes. */
const LEASE_SECONDS = 6;
/** After a failed request, nobody requests a token again before this. */
const BACK_OFF_SECONDS = 1;
const RENEW_BEFORE_END_SECONDS = 300;
/** Longer than any call that uses the token. */
const LAST_USE_BEFORE_END_SECONDS = 20;
/** An invocation with less time left does not renew a token that is still valid. Its own call comes first. */
const EARLY_RENEWAL_NEEDS_MS = 16_000;
const POLL_MS = 200;
/** An item with a lease only is kept a little longer than the lease. */
const KEPT_AFTER_LEASE_SECONDS = 60;

/** A token that a caller needs now. */
interface Wanted {
  readonly id: string;
  readonly owner: string;
  readonly set: ClientSet;
  readonly remainingMs: () => number;
}

export function createAccessTokens(deps: AccessTokensDeps): AccessTokens {
  const { authUrl, credentials, tokens, newFetcherId = () => crypto.randomUUID() } = deps;
  const http: Http = { fetch: deps.fetch ?? globalThis.fetch, now: deps.now ?? Date.now };
  const held = new Map<string, AccessValue>();
  const flights = new Map<string, Promise<AccessToken>>();
  const now = () => Math.floor(http.now() / 1000);
  // mutant logic: a token without an end has NaN left, which is not enough either
  const secondsLeft = ({ token, endsAt }: AccessValue) => (token === undefined ? 0 : (endsAt ?? 0) - now());

  const hold = (id: string, value: AccessValue): AccessToken => {
    held.set(id, value);
    return { id, value: value.token ?? '' };
  };

  const obtain = async (wanted: Wanted): Promise<AccessToken> => {
    const { id, remainingMs } = wanted;
    const fetcher = newFetcherId();
    for (;;) {
      const stored = (await tokens.get('access', id)) ?? { revision: 0 };
      if (stored.fetcher === fetcher) {
        return renew(wanted, stored);
      }
      const left = secondsLeft(stored);
      const leased = (stored.fetchingUntil ?? 0) > now();
      const mayWait = leased || left > RENEW_BEFORE_END_SECONDS || remainingMs() < EARLY_RENEWAL_NEEDS_MS;
      if (left > LAST_USE_BEFORE_END_SECONDS && mayWait) {
        return hold(id, stored);
      }
      timeoutWithin(remainingMs(), SHORTEST_REQUEST_MS);
      if (leased) {
        await sleep(POLL_MS);
      } else {
        // The next read tells whether this write won, even if its own answer was lost.
        await put(id, stored, { ...tokenOf(stored), fetcher, fetchingUntil: now() + LEASE_SECONDS });
      }
    }
  };

  const renew = async ({ id, owner, set, remainingMs }: Wanted, stored: Stored<AccessValue>): Promise<AccessToken> => {
    try {
      const { token, expiresInSeconds } = await credentials.use(owner, set, (credential) => {
        const timeoutMs = timeoutWithin(remainingMs(), REQUEST_TIMEOUT_MS, SHORTEST_REQUEST_MS);
        return requestAccessToken(http, authUrl, credential, timeoutMs);
      });
      const fresh = { token, endsAt: now() + expiresInSeconds };
      await put(id, stored, fresh);
      return hold(id, fresh);
    } catch (error) {
      await put(id, stored, { ...tokenOf(stored), fetchingUntil: now() + BACK_OFF_SECONDS });
      if (secondsLeft(stored) > LAST_USE_BEFORE_END_SECONDS) {
        return hold(id, stored);
      }
      throw error;
    }
  };

  const put = (id: string, { revision }: Stored<AccessValue>, value: AccessValue): Promise<boolean> => {
    const { endsAt = 0, fetchingUntil = 0 } = value;
    return tokens.put('access', id, value, Math.max(endsAt, fetchingUntil + KEPT_AFTER_LEASE_SECONDS), revision);
  };

  const forget = async ({ id, value }: AccessToken): Promise<void> => {
    if (held.get(id)?.token === value) {
      held.delete(id);
    }
    let stored = await tokens.get('access', id);
    while (stored?.token === value) {
      const { fetcher, fetchingUntil = now() } = stored;
      await put(id, stored, { ...(fetcher === undefined ? {} : { fetcher }), fetchingUntil });
      stored = await tokens.get('access', id);
    }
  };

  return {
    async get(merchantId, set, remainingMs) {
      const owner = set === 'isv' ? isvOwner : merchantId;
      const { clientId } = await credentials.get(owner, set);
      const id = `${owner}#${set}#${createHash('sha256').update(clientId).digest('hex').slice(0, 16)}`;
      const known = held.get(id);
      if (known !== undefined && secondsLeft(known) > RENEW_BEFORE_END_SECONDS) {
        return hold(id, known);
      }
      const flight =
        flights.get(id) ?? classed(obtain({ id, owner, set, remainingMs })).finally(() => flights.delete(id));
      flights.set(id, flight);
      return flight;
    },

    drop: (token) => classed(forget(token)),
  };
}

function tokenOf({ token, endsAt }: AccessValue): Pick<AccessValue, 'token' | 'endsAt'> {
  return token === undefined || endsAt === undefined ? {} : { token, endsAt };
}

/** Failures of the table are harmless, because the platform was not called yet. */
async function classed<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof FlowError
      ? error
      : new TransientError('ACCESS_TOKENS_UNREADABLE', 'cannot read or write the access tokens', { cause: error });
  }
}
