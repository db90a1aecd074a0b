/**
 * The platform signs nothing: what proves that a message may come from it is the path it was told, with a token nobody
 * can guess. Two are valid at a time, so that the path can be changed without losing a message.
 *
 * Who guesses learns nothing from the time it takes: a wrong token costs one read of Secrets Manager, whether there is
 * such an account or not, and for a minute all further wrong ones cost none.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { FaultError } from '../flow/errors.ts';
import { MINUTE_MS } from '../payments/time.ts';
import { type Credentials, isOwner } from '../viva/credentials.ts';

/** Whether the token is one of the account's paths; false, too, where there is no such account. */
export type IsPath = (accountId: string, pathToken: string) => Promise<boolean>;

/** What was read of an account. One that does not exist has no tokens, and is nothing else. */
interface Known {
  readonly tokens: readonly Buffer[];
  readonly until: number;
  /** Until then a wrong token is refused without reading again. */
  readonly readAgainAt: number;
}

const KEPT_MS = 5 * MINUTE_MS;
const READ_AGAIN_AFTER_MS = MINUTE_MS;
/** Whoever makes up accounts drives out others, which then cost a read again. */
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

/** Compares in constant time, hashed, so that lengths do not show either. */
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
