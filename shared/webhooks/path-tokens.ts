/**
 * The platform signs nothing: what proves that a message may come from it is the path it was told, with a token nobody
 * can guess. Two are valid at a time, so that the path can be changed without losing a message.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Credentials, isOwner } from '../credentials.ts';
import { FaultError } from '../errors.ts';

/** Compares in constant time, hashed, so that lengths do not show either. */
export async function isPathOf(credentials: Credentials, accountId: string, pathToken: string): Promise<boolean> {
  const given = digest(pathToken);
  const matches = (await pathTokensOf(credentials, accountId)).map((valid) => timingSafeEqual(digest(valid), given));
  return matches.includes(true);
}

async function pathTokensOf(credentials: Credentials, accountId: string): Promise<readonly string[]> {
  if (!isOwner(accountId)) {
    return [];
  }
  try {
    return await credentials.get(accountId, 'webhookPathTokens');
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
