/**
 * Access tokens of the platform, one per owner and credential set, asked for at most twice an hour however many
 * functions run: from memory, then from the `tokens` table, then from the identity server.
 *
 * One instance fetches, and says so by a lease in the same item; the others go on with the token there is, or wait for
 * the new one, and take over when the lease ends. A token is renewed before it ends, so that in daily business nobody
 * waits and the identity server may be away for a while. Lifetimes count from receipt, by `expires_in`.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSet, type Credentials, isvOwner } from './credentials.ts';
import { FlowError, TransientError } from './errors.ts';
import { type Http, timeoutWithin } from './platform/http.ts';
import { requestAccessToken } from './platform/identity.ts';
import type { AccessValue, Stored, Tokens } from './tokens.ts';

export interface AccessToken {
  /** Of its entry in the `tokens` table. */
  readonly id: string;
  readonly value: string;
}

export interface AccessTokens {
  get(merchantId: string, set: ClientSet, remainingMs: () => number): Promise<AccessToken>;
  /** After the platform refused it. A token fetched since then stays. */
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
/** Outlasts the request. */
const LEASE_SECONDS = 6;
/** After a failed request: nobody asks again before. */
const BACK_OFF_SECONDS = 1;
const RENEW_BEFORE_END_SECONDS = 300;
/** Longer than any call that is made with it. */
const LAST_USE_BEFORE_END_SECONDS = 20;
/** An invocation with less time left does not renew a token that is still good: its own call comes first. */
const EARLY_RENEWAL_NEEDS_MS = 16_000;
const POLL_MS = 200;

export function createAccessTokens(deps: AccessTokensDeps): AccessTokens {
  const { authUrl, credentials, tokens, newFetcherId = () => crypto.randomUUID() } = deps;
  const http: Http = { fetch: deps.fetch ?? globalThis.fetch, now: deps.now ?? Date.now };
  const held = new Map<string, AccessValue>();
  const flights = new Map<string, Promise<AccessToken>>();
  const now = () => Math.floor(http.now() / 1000);
  const secondsLeft = (value: AccessValue | undefined) =>
    value?.token === undefined || value.endsAt === undefined ? 0 : value.endsAt - now();

  const hold = (id: string, value: AccessValue): AccessToken => {
    held.set(id, value);
    return { id, value: value.token as string };
  };

  const obtain = async (id: string, owner: string, set: ClientSet, remainingMs: () => number) => {
    const fetcher = newFetcherId();
    for (;;) {
      const stored = await tokens.get('access', id);
      if (stored?.fetcher === fetcher) {
        return renew(id, owner, set, remainingMs, stored);
      }
      const leased = (stored?.fetchingUntil ?? 0) > now();
      const left = secondsLeft(stored);
      const mayWait = leased || left > RENEW_BEFORE_END_SECONDS || remainingMs() < EARLY_RENEWAL_NEEDS_MS;
      if (stored !== undefined && left > LAST_USE_BEFORE_END_SECONDS && mayWait) {
        return hold(id, stored);
      }
      timeoutWithin(remainingMs(), SHORTEST_REQUEST_MS);
      if (leased) {
        await sleep(POLL_MS);
      } else {
        // Whoever wrote first has the lease; the next read tells.
        const lease = { fetcher, fetchingUntil: now() + LEASE_SECONDS };
        await tokens.put('access', id, { ...tokenOf(stored), ...lease }, expiry(stored, lease), stored?.revision ?? 0);
      }
    }
  };

  const renew = async (
    id: string,
    owner: string,
    set: ClientSet,
    remainingMs: () => number,
    stored: Stored<AccessValue>,
  ): Promise<AccessToken> => {
    try {
      const issued = await credentials.use(owner, set, (credential) =>
        requestAccessToken(
          http,
          authUrl,
          credential,
          timeoutWithin(remainingMs(), REQUEST_TIMEOUT_MS, SHORTEST_REQUEST_MS),
        ),
      );
      const fresh = { token: issued.token, endsAt: now() + issued.expiresInSeconds };
      await tokens.put('access', id, fresh, fresh.endsAt, stored.revision);
      return hold(id, fresh);
    } catch (error) {
      const lease = { fetchingUntil: now() + BACK_OFF_SECONDS };
      await tokens.put('access', id, { ...tokenOf(stored), ...lease }, expiry(stored, lease), stored.revision);
      if (error instanceof TransientError && secondsLeft(stored) > LAST_USE_BEFORE_END_SECONDS) {
        return hold(id, stored);
      }
      throw error;
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
      const running = flights.get(id);
      if (running !== undefined) {
        return running;
      }
      const flight = obtain(id, owner, set, remainingMs)
        .catch((error) => Promise.reject(classed(error)))
        .finally(() => flights.delete(id));
      flights.set(id, flight);
      return flight;
    },

    async drop({ id, value }) {
      if (held.get(id)?.token === value) {
        held.delete(id);
      }
      let stored = await tokens.get('access', id);
      while (stored?.token === value) {
        const { fetcher, fetchingUntil = now() } = stored;
        const lease = { ...(fetcher === undefined ? {} : { fetcher }), fetchingUntil };
        await tokens.put('access', id, lease, expiry(undefined, lease), stored.revision);
        stored = await tokens.get('access', id);
      }
    },
  };
}

function tokenOf(value: AccessValue | undefined): Pick<AccessValue, 'token' | 'endsAt'> {
  return value?.token === undefined || value.endsAt === undefined ? {} : { token: value.token, endsAt: value.endsAt };
}

function expiry(value: AccessValue | undefined, lease: { readonly fetchingUntil: number }): number {
  return Math.max(tokenOf(value).endsAt ?? 0, lease.fetchingUntil + 60);
}

/** The table's own failures: no token was used, so everything may be tried again. */
function classed(error: unknown): FlowError {
  return error instanceof FlowError
    ? error
    : new TransientError('ACCESS_TOKENS_UNREADABLE', 'cannot read or write the access tokens', { cause: error });
}
