/**
 * One call to the platform as one account: with the right credentials, on the right host, within the time that is left.
 * A 401 is given before any work is done (docs/viva.md, "Access tokens"). So after a 401, and only then, the same call
 * is made once more with fresh credentials, even if it moves money.
 */

import { FaultError, TransientError } from '../flow/errors.ts';
import type { Account } from '../payments/items/account.ts';
import type { AccessTokens } from './access-tokens.ts';
import { type ClientSet, type Credentials, isvOwner } from './credentials.ts';
import { type Answer, exchange, type Http, type Outcome, timeoutWithin } from './http.ts';

interface VivaUrls {
  /** Identity server. */
  readonly authUrl: string;
  readonly apiUrl: string;
  /** The payment API, the older one. */
  readonly baseUrl: string;
}

export interface VivaDeps {
  readonly urls: VivaUrls;
  readonly credentials: Credentials;
  readonly accessTokens: AccessTokens;
  readonly fetch?: Http['fetch'];
  readonly now?: Http['now'];
}

export interface VivaCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly on: 'apiUrl' | 'baseUrl';
  /** With the `{names}` of `ids`. Timelines show it like this. */
  readonly path: string;
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The credential set. OAuth clients send Bearer tokens, the others Basic. */
  readonly as: ClientSet | 'apiKey' | 'reseller' | 'nobody';
  readonly timeoutMs?: number;
  /** For reads only: the call may take this little time if the invocation has no more. */
  readonly shortestMs?: number;
  /** Time that the invocation keeps for after the call, if the usual time is too much. */
  readonly afterwardsMs?: number;
  /** For an answer that may be longer than usual. */
  readonly maxAnswerBytes?: number;
  /** Milliseconds since the epoch. The request is not sent later than this, however long its access token took. */
  readonly notAfter?: number;
}

export type Send = (call: VivaCall) => Promise<Outcome>;

const TIMEOUT_MS = 10_000;

export function createSend(
  deps: VivaDeps,
  { merchantId }: Pick<Account, 'merchantId'>,
  remainingMs: () => number,
): Send {
  const { urls, credentials, accessTokens, fetch = globalThis.fetch, now = Date.now } = deps;

  const attempt = async (call: VivaCall, authorization?: string): Promise<Outcome> => {
    const { method, on, path, ids = {}, query = {}, body, timeoutMs = TIMEOUT_MS } = call;
    const { shortestMs, afterwardsMs, maxAnswerBytes, notAfter = Number.POSITIVE_INFINITY } = call;
    if (now() > notAfter) {
      throw new TransientError('TOO_LATE', 'the time in which the request may be sent is over');
    }
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ''));
    const search = new URLSearchParams(query).toString();
    return exchange(
      { fetch, now },
      {
        call: `${method} ${path}`,
        method,
        url: `${urls[on]}${filled}${search === '' ? '' : `?${search}`}`,
        headers: {
          ...(authorization === undefined ? {} : { authorization }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body && JSON.stringify(body),
        ...(maxAnswerBytes === undefined ? {} : { maxAnswerBytes }),
        timeoutMs: timeoutWithin(remainingMs(), timeoutMs, shortestMs, afterwardsMs),
      },
    );
  };

  const asClient = async (call: VivaCall, set: ClientSet): Promise<Outcome> => {
    const token = await accessTokens.get(merchantId, set, remainingMs);
    const outcome = await attempt(call, `Bearer ${token.value}`);
    if (!isUnauthorized(outcome)) {
      return outcome;
    }
    await accessTokens.drop(token);
    const fresh = await accessTokens.get(merchantId, set, remainingMs);
    const second = await attempt(call, `Bearer ${fresh.value}`);
    if (isUnauthorized(second)) {
      throw new FaultError('CREDENTIALS_REFUSED', `the platform refuses a fresh access token of ${set}`);
    }
    return second;
  };

  const asMerchant = (call: VivaCall) =>
    credentials.use(merchantId, 'apiKey', (apiKey) => unlessUnauthorized(attempt(call, basic(merchantId, apiKey))));

  const asReseller = (call: VivaCall) =>
    credentials.use(isvOwner, 'reseller', ({ resellerId, apiKey }) =>
      unlessUnauthorized(attempt(call, basic(`${resellerId}:${merchantId}`, apiKey))),
    );

  return (call) => {
    switch (call.as) {
      case 'apiKey':
        return asMerchant(call);
      case 'reseller':
        return asReseller(call);
      case 'nobody':
        return attempt(call);
      default:
        return asClient(call, call.as);
    }
  };
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function isUnauthorized(outcome: Outcome): outcome is Answer {
  return outcome.kind === 'answer' && outcome.status === 401;
}

async function unlessUnauthorized(outcome: Promise<Outcome>): Promise<Outcome | undefined> {
  const known = await outcome;
  return isUnauthorized(known) ? undefined : known;
}
