/** A steady stream of sales at all terminals and of RF orders, whatever becomes of them, and one read a second. */
import { randomUUID } from 'node:crypto';
import type { ReadyLine } from '../e2e/run-sandbox.ts';
import { type Json, type Till, tillsOf } from '../till.ts';
import type { Accepted } from './books.ts';

/** More requests than this are not sent before some are answered. */
const MAX_IN_FLIGHT = 100;
/** An API that answers later than this counts as gone. */
const ANSWER_MS = 30_000;
const READ_EVERY_MS = 1_000;
const EXPECTED = [201, 202, 409, 429, 503];
/** At each Greek merchant. The other requests are sales. */
const RF_ORDER_EVERY = 5;

interface Request {
  readonly till: Till;
  readonly path: string;
  readonly body: object;
  readonly key: string;
}

export class Load {
  readonly accepted: Accepted[] = [];
  /** What no storefront should see. */
  readonly odd: string[] = [];
  readonly #tills: readonly Till[];
  readonly #rate: number;
  readonly #undecided: Request[] = [];
  readonly #answers = new Map<number, number>();
  readonly #readMs: number[] = [];
  #inFlight = 0;
  #sent = 0;
  #held = 0;

  constructor(ready: ReadyLine, rate: number) {
    this.#rate = rate;
    this.#tills = tillsOf(ready);
  }

  async run(forMs: number): Promise<void> {
    const until = performance.now() + forMs;
    const running = new Set<Promise<void>>();
    const begin = (work: Promise<void>) => {
      const ended = work.finally(() => running.delete(ended));
      running.add(ended);
    };
    const reading = setInterval(() => begin(this.#read()), READ_EVERY_MS);
    const sending = setInterval(() => {
      if (this.#inFlight >= MAX_IN_FLIGHT) {
        this.#held++;
      } else {
        begin(this.#send());
      }
    }, 1_000 / this.#rate);
    while (performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    clearInterval(sending);
    clearInterval(reading);
    await Promise.all(running);
  }

  summary(): string {
    const answers = [...this.#answers].toSorted(([a], [b]) => a - b).map(([status, times]) => `${times} × ${status}`);
    const sorted = this.#readMs.toSorted((a, b) => a - b);
    const at = (part: number) => Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
    return (
      `${this.#sent} sent (${this.#held} held back), answered ${answers.join(', ')}; ` +
      `reads took ${at(0.5)} ms in the middle, ${at(0.99)} ms at most for 99 of 100`
    );
  }

  async #send(): Promise<void> {
    const n = this.#sent++;
    const till = this.#tills[n % this.#tills.length]!;
    const round = Math.floor(n / this.#tills.length);
    this.#inFlight++;
    try {
      const isRf = till.merchant.country === 'GR' && round % RF_ORDER_EVERY === 0;
      await (isRf ? this.#order(till, n) : this.#sell(till, round));
    } catch (error) {
      this.odd.push(`a POST had no answer: ${(error as Error).message}`);
    } finally {
      this.#inFlight--;
    }
  }

  async #sell(till: Till, round: number): Promise<void> {
    const { terminals } = till.merchant;
    const additionalCharge = round % 3 === 0 ? { additionalCharge: { amount: 2_000 + (round % 500) } } : {};
    const terminalId = terminals[round % terminals.length]!;
    const body = till.saleOf({ terminalId, amount: 100 + (round % 900), ...additionalCharge });
    await this.#post({ till, path: '/sales', body, key: randomUUID() });
  }

  async #order(till: Till, n: number): Promise<void> {
    const { merchantId } = till.merchant;
    const body = { merchantId, amount: 1_000 + (n % 900), currency: 'EUR', expiresInSeconds: 3_600 };
    const order = await this.#post({ till, path: '/rf-orders', body, key: randomUUID() });
    if (order?.rfCode !== undefined) {
      await till.payRf(order);
    }
  }

  /** Sends again what had no definite answer: the same key gets the answer of what was begun. */
  async settle(): Promise<void> {
    for (const request of this.#undecided.splice(0)) {
      await this.#post(request);
    }
  }

  /** The resource, if it was accepted. */
  async #post(request: Request): Promise<Json | undefined> {
    const { till, path, body, key } = request;
    const answer = await within(ANSWER_MS, till.api('POST', path, body, { key }));
    this.#answers.set(answer.status, (this.#answers.get(answer.status) ?? 0) + 1);
    if (!EXPECTED.includes(answer.status)) {
      this.odd.push(`POST ${path} answered ${answer.status} ${answer.text.slice(0, 200)}`);
    }
    if (answer.status >= 500 || answer.status === 429) {
      this.#undecided.push(request);
    }
    if (answer.status >= 300) {
      return undefined;
    }
    this.#accept(answer.body, till);
    return answer.body;
  }

  #accept({ saleId, additionalCharge, rfOrderId }: Json, till: Till): void {
    if (rfOrderId !== undefined) {
      this.accepted.push({ kind: 'rf-order', id: rfOrderId, till });
      return;
    }
    this.accepted.push({ kind: 'sale', id: saleId, till });
    if (additionalCharge !== undefined) {
      this.accepted.push({ kind: 'charge', id: additionalCharge.chargeId, till });
    }
  }

  async #read(): Promise<void> {
    const last = this.accepted.findLast(({ kind }) => kind === 'sale');
    if (last === undefined) {
      return;
    }
    const path = `/sales/${last.id}`;
    const began = performance.now();
    try {
      const { status } = await within(ANSWER_MS, last.till.api('GET', path));
      this.#readMs.push(performance.now() - began);
      if (![200, 429, 503].includes(status)) {
        this.odd.push(`GET ${path} answered ${status}`);
      }
    } catch (error) {
      this.odd.push(`GET ${path} had no answer: ${(error as Error).message}`);
    }
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not within ${ms} ms`)), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
