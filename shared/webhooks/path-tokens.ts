/**
 * Webhooks are not signed (docs/viva.md, "Webhooks"). Only the path proves that a webhook may come from the platform:
 * it has a token that nobody can guess. Two tokens are valid at a time, so that the path can change without losing a
 * webhook.
 *
 * The time of an answer tells nothing to somebody who guesses. A wrong token costs one read of Secrets Manager, whether
 * the account exists or not. For a minute all further wrong ones cost none.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { FaultError } from '../flow/errors.ts';
import { MINUTE_MS } from '../payments/time.ts';
import { type Credentials, isOwner } from '../viva/credentials.ts';

/** Whether the token is one of the account's. False also if the account does not exist. */
export type IsPath = (accountId: string, pathToken: string) => Promise<boolean>;

/** What was read about an account. An account that does not exist has no tokens. */
interface Known {
  readonly tokens: readonly Buffer[];
  readonly until: number;
  /** Until this time a wrong token is refused without another read. */
  readonly readAgainAt: number;
}

const KEPT_MS = 5 * MINUTE_MS;
const READ_AGAIN_AFTER_MS = MINUTE_MS;
/** Requests for invented accounts push others out. Those then cost another read. */
const MAX_KEPT = 1_000;

export function createIsPath(credentials: Pick<Credentials, 'readAgain'>, now: () => number = Date.now): IsPath {
  const kept = new Map<string, Known>();

  return async (accountId, pathToken) => {
    if (!isOwner(accountId)) {
      return false;
    }
    const given = digest(pathToken);
    const known = kept.get(accountId);
    if (known !== undefined && now() < known.until && matches(known, given)) {
      return true;
    }
    if (known !== undefined && now() < known.readAgainAt) {
      return false;
    }
    const tokens = (await pathTokensOf(credentials, accountId)).map(digest);
    const accepted = matches({ tokens }, given);
    kept.set(accountId, {
      tokens,
      until: now() + KEPT_MS,
      readAgainAt: accepted ? 0 : now() + READ_AGAIN_AFTER_MS,
    });
    if (kept.size > MAX_KEPT) {
      kept.delete(kept.keys().next().value ?? '');
    }
    return accepted;
  };
}

/** Compares hashes in constant time, so that lengths do not show either. */
function matches({ tokens }: Pick<Known, 'tokens'>, given: Buffer): boolean {
  return tokens.map((valid) => timingSafeEqual(valid, given)).includes(true);
}

async function pathTokensOf(
  credentials: Pick<Credentials, 'readAgain'>,
  accountId: string,
): Promise<readonly string[]> {
  try {
    return await credentials.readAgain(accountId, 'webhookPathTokens');
  } catch (error) {
    if (error instanceof FaultError && error.code === 'CREDENTIALS_MISSING') {
      return [];
    }
    throw error;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
