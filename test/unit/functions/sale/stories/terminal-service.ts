/**
 * A terminal service in memory that answers as badly as a real one may, with a ledger of what was really taken. A seed
 * determines what it does.
 */

import { Random } from '../../../../../sandbox/viva/random.ts';
import { TransientError } from '../../../../../shared/flow/errors.ts';
import type { Account } from '../../../../../shared/payments/items/account.ts';
import type { Outcome } from '../../../../../shared/viva/http.ts';
import type { Send, VivaCall } from '../../../../../shared/viva/send.ts';
import { terminals } from '../../../../../shared/viva/terminals.ts';
import type { TransactionRecord, Viva } from '../../../../../shared/viva/viva.ts';
import type { VirtualTime } from '../../../../fakes/virtual-time.ts';
import { anyCall } from '../../../../fakes/viva.ts';
import { MERCHANT_ID, SALE_ID, TERMINAL_ID } from '../../../../fakes/world.ts';

const SECOND = 1000;
const REQUEST_TIMEOUT_MS = 10 * SECOND;
const READ_TIMEOUT_MS = 2 * SECOND;
/** How long a terminal waits for a card. */
const CARD_WAIT_MS = 60 * SECOND;

export const fates = {
  answered: { left: true, processed: true },
  slow: { left: true, processed: true },
  answer_lost: { left: true, processed: true },
  error_after: { left: true, processed: true },
  late: { left: true, processed: true },
  lost: { left: true, processed: false },
  error_before: { left: true, processed: false },
  refused: { left: true, processed: false },
  not_sent: { left: false, processed: false },
  busy: { left: false, processed: false },
  limited: { left: false, processed: false },
} as const;
export type Fate = keyof typeof fates;

interface Session {
  readonly openedAt: number;
  readonly visibleAt: number;
  outcome?: { readonly success: boolean; readonly eventId: number };
}

/** How the service and the payer of this seed behave. */
interface Nature {
  readonly fates: readonly Fate[];
  readonly slowestVisibilityMs: number;
  readonly acceptsDuplicates: boolean;
  readonly abortSeesAll: boolean;
  readonly isOffline: boolean;
  /** Faults of reads and aborts. */
  readonly badReads: number;
  readonly lies: number;
  readonly payer: 'pays' | 'declines' | 'leaves';
  readonly hesitatesMs: number;
}

export class TerminalService {
  /** Requests that left us, and those that the service began to work on. */
  readonly sent: { readonly at: number; readonly fate: Fate }[] = [];
  readonly arrived: number[] = [];
  readonly payments: number[] = [];
  readonly sessions: Session[] = [];
  readonly nature: Nature;
  aborts = 0;
  lies = 0;
  readonly #time: VirtualTime;
  readonly #random: Random;

  constructor(time: VirtualTime, seed: number) {
    this.#time = time;
    this.#random = new Random(seed);
    const all = Object.keys(fates) as Fate[];
    this.nature = {
      fates: this.#chance(0.3) ? [this.#oneOf(all)] : all.filter(() => this.#chance(0.4)),
      slowestVisibilityMs: this.#oneOf([0, 5, 29, 31, 60]) * SECOND,
      acceptsDuplicates: this.#chance(0.7),
      abortSeesAll: this.#chance(0.5),
      isOffline: this.#chance(0.1),
      badReads: this.#oneOf([0, 0, 0.2, 0.7]),
      lies: this.#oneOf([0, 0, 0.05]),
      payer: this.#oneOf(['pays', 'pays', 'pays', 'declines', 'leaves']),
      hesitatesMs: this.#oneOf([0, 3, 10, 28, 45, 59]) * SECOND,
    };
  }

  /** Returns the real client over this service; reads of transactions come from its ledger. */
  vivaFor = (account: Account): Viva => {
    const readTransaction = async (transactionId: string) => {
      const record: TransactionRecord = {
        ...{ transactionId, amount: 1500, currency: 'EUR', merchantId: MERCHANT_ID, statusId: 'E' },
        transactionTypeId: 5,
      };
      return { record, call: anyCall };
    };
    return { ...terminals(account, this.#send), readTransaction } as unknown as Viva;
  };

  readonly #send: Send = async (call) => {
    await this.#time.sleep(this.#upTo(50));
    if (this.#time.at > (call.notAfter ?? Number.POSITIVE_INFINITY)) {
      throw new TransientError('TOO_LATE', 'as the client does');
    }
    switch (call.method) {
      case 'POST':
        return this.#sale();
      case 'GET':
        return this.#read();
      default:
        return this.#abort(call);
    }
  };

  async #sale(): Promise<Outcome> {
    const fate = this.#oneOf(this.nature.fates.length === 0 ? (['answered'] as const) : this.nature.fates);
    this.sent.push({ at: this.#time.at, fate });
    switch (fate) {
      case 'not_sent':
        return { kind: 'not_sent', cause: 'ECONNREFUSED' };
      case 'busy':
        return answer(503, { eventId: '1400' });
      case 'limited':
        return answer(429, { correlationId: 'own' });
      case 'refused':
        return answer(400, { eventId: '1200' });
      case 'error_before':
        return answer(500);
      case 'lost':
        return this.#noAnswer(REQUEST_TIMEOUT_MS);
      case 'late':
        this.#time.after(this.#upTo(15 * 60 * SECOND), () => void this.#begin());
        return answer(504);
      case 'error_after':
        this.#begin();
        return answer(500);
      case 'answer_lost':
        this.#begin();
        return this.#noAnswer(this.#upTo(REQUEST_TIMEOUT_MS));
      default: {
        const begun = this.#begin();
        const delayMs = fate === 'slow' ? this.#upTo(35 * SECOND) : this.#upTo(SECOND);
        if (delayMs >= REQUEST_TIMEOUT_MS) {
          return this.#noAnswer(REQUEST_TIMEOUT_MS);
        }
        await this.#time.sleep(delayMs);
        return begun ? answer(200, { eventId: '1100' }) : answer(409, { eventId: '1201' });
      }
    }
  }

  /** Returns false for a session that exists already. */
  #begin(): boolean {
    const at = this.#time.at;
    this.arrived.push(at);
    if (this.sessions.length > 0 && !this.nature.acceptsDuplicates) {
      return false;
    }
    const session: Session = { openedAt: at, visibleAt: at + this.#upTo(this.nature.slowestVisibilityMs) };
    this.sessions.push(session);
    if (!this.nature.isOffline) {
      this.#time.after(this.nature.hesitatesMs, () => this.#present(session));
      this.#time.after(CARD_WAIT_MS, () => end(session, 1003));
    }
    return true;
  }

  #present(session: Session): void {
    if (session.outcome === undefined && this.nature.payer === 'pays') {
      this.payments.push(this.#time.at);
      end(session, 0);
    } else if (this.nature.payer === 'declines') {
      end(session, 1006);
    }
  }

  async #read(): Promise<Outcome> {
    const bad = await this.#bad();
    const session = this.sessions.at(-1);
    if (bad !== undefined) {
      return bad;
    }
    if (session === undefined || session.visibleAt > this.#time.at) {
      return answer(404);
    }
    if (this.#chance(this.nature.lies)) {
      this.lies++;
      return answer(404);
    }
    return session.outcome === undefined ? answer(202) : answer(200, {}, view(session.outcome));
  }

  async #abort({ ids }: VivaCall): Promise<Outcome> {
    this.aborts++;
    const bad = await this.#bad();
    const session = this.sessions.at(-1);
    const isSeen = session !== undefined && (this.nature.abortSeesAll || session.visibleAt <= this.#time.at);
    if (ids?.['sessionId'] !== SALE_ID || !isSeen) {
      return bad ?? answer(404);
    }
    if (session.outcome !== undefined) {
      return bad ?? answer(409, { eventId: '1204' });
    }
    if (bad === undefined || this.#chance(0.5)) {
      this.#time.after(this.nature.isOffline ? Number.POSITIVE_INFINITY : this.#upTo(SECOND), () => end(session, 1016));
    }
    return bad ?? answer(200, { eventId: '1104' });
  }

  /** Returns how a read or an abort fails, if it does. */
  async #bad(): Promise<Outcome | undefined> {
    if (!this.#chance(this.nature.badReads)) {
      return undefined;
    }
    return this.#oneOf([
      () => answer(500),
      () => answer(403),
      () => answer(200, {}, '{"success":tr'),
      () => this.#noAnswer(READ_TIMEOUT_MS),
      () => ({ kind: 'no_answer', cause: 'ECONNRESET' }) as const,
    ])();
  }

  async #noAnswer(afterMs: number): Promise<Outcome> {
    await this.#time.sleep(afterMs);
    return { kind: 'no_answer', cause: 'TimeoutError' };
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  #upTo(most: number): number {
    return Math.floor(this.#random.next() * (most + 1));
  }

  #oneOf<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random.next() * values.length)] as T;
  }
}

/** Ends a session; a session ends once. */
function end(session: Session, eventId: number): void {
  session.outcome ??= { success: eventId === 0, eventId };
}

function answer(status: number, ids: { eventId?: string; correlationId?: string } = {}, text = ''): Outcome {
  return { kind: 'answer', status, text, call: { call: '', status, durationMs: 1, ...ids } };
}

function view({ success, eventId }: { readonly success: boolean; readonly eventId: number }): string {
  const transactionId = success || eventId === 1006 ? '6f1f7a52-0000-4c53-8f1c-000000000001' : null;
  return JSON.stringify({
    ...{ success, eventId, transactionId, amount: 1500, currencyCode: '978', terminalId: TERMINAL_ID },
  });
}
