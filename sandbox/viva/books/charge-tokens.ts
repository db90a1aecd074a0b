/** Charge tokens (`ctok_`): for one use and one amount, within ten minutes. */

import type { Random } from '../random.ts';
import type { Card } from './cards.ts';

export const CHARGE_TOKEN_MS = 10 * 60 * 1000;

export interface ChargeToken {
  readonly token: string;
  readonly merchantId: string;
  readonly card: Card;
  readonly amount: number;
  readonly expirationYear: number;
  readonly expirationMonth: number;
  readonly createdMs: number;
  readonly sessionRedirectUrl: string | null;
  /** The id of the issuer's page, if the issuer asks for authentication. */
  readonly challengeId: string | null;
  authentication: 'none' | 'pending' | 'done' | 'failed';
  /** The answer to its first use, which a second use gets if the switch `ctokReuse` is `replay`. */
  usedFor: { readonly transactionId: string; readonly declineEventId: number } | null;
}

export class ChargeTokens {
  readonly #byToken = new Map<string, ChargeToken>();

  create(random: Random, of: Omit<ChargeToken, 'token' | 'usedFor'>): ChargeToken {
    const token = { token: `ctok_CANARY${random.alphanumeric(21)}`, usedFor: null, ...of };
    this.#byToken.set(token.token, token);
    return token;
  }

  find(merchantId: string, token: string): ChargeToken | undefined {
    const found = this.#byToken.get(token);
    return found?.merchantId === merchantId ? found : undefined;
  }

  ofChallenge(challengeId: string): ChargeToken | undefined {
    return [...this.#byToken.values()].find((token) => token.challengeId === challengeId);
  }
}
