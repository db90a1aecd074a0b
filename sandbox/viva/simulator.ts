/** What the parts of the simulator share: settings, clock, accounts, and the books, which a reset replaces. */
import type { Clock, Timer } from '../clock.ts';
import type { Issuer } from '../issuer.ts';
import { RecentMap } from '../recent.ts';
import type { Accounts } from './books/accounts.ts';
import { CardTokens } from './books/card-tokens.ts';
import { ChargeTokens } from './books/charge-tokens.ts';
import { Ledger } from './books/ledger.ts';
import { Orders } from './books/orders.ts';
import { Transactions } from './books/transactions.ts';
import type { Transfer } from './books/transfers.ts';
import type { Faults } from './http/faults.ts';
import type { Requests } from './http/requests.ts';
import type { Random } from './random.ts';
import type { Switches } from './switches.ts';
import { Sessions } from './terminals/sessions.ts';
import type { Terminals } from './terminals/terminals.ts';
import type { Recipients } from './webhooks/recipients.ts';
import type { Webhook } from './webhooks/webhook.ts';

export interface Urls {
  readonly authUrl: string;
  readonly apiUrl: string;
  readonly baseUrl: string;
}

const MAX_WEBHOOKS = 20_000;

export class Books {
  readonly ledger = new Ledger();
  readonly transactions = new Transactions();
  readonly sessions = new Sessions();
  readonly cardTokens = new CardTokens();
  readonly chargeTokens = new ChargeTokens();
  readonly orders = new Orders();
  readonly transfers = new Map<string, Transfer>();
  readonly webhooks = new RecentMap<Webhook>(MAX_WEBHOOKS);
}

export interface Simulator {
  readonly clock: Clock;
  seed: number;
  random: Random;
  readonly accounts: Accounts;
  readonly terminals: Terminals;
  readonly switches: Switches;
  readonly faults: Faults;
  readonly requests: Requests;
  readonly issuer: Issuer;
  readonly urls: Urls;
  readonly recipients: Recipients;
  /** Sends webhooks. */
  readonly fetch: typeof globalThis.fetch;
  books: Books;
  /** Webhooks that must arrive before the answer of the call that caused them. */
  readonly early: Promise<void>[];
}

/** Runs `work` later, unless a reset clears the books before. */
export function later(sim: Simulator, delayMs: number, work: () => void): Timer {
  const { books } = sim;
  return sim.clock.schedule(delayMs, () => {
    if (sim.books === books) {
      work();
    }
  });
}
