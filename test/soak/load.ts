/** A steady stream of sales at all terminals and of RF orders, whatever becomes of them, and one read a second. */
import { randomUUID } from 'node:crypto';
import type { ReadyLine } from '../e2e/run-sandbox.ts';
import { type Json, Till } from '../till.ts';
import type { Accepted } from './books.ts';

/** More requests than this are not sent before some are answered. */
const MAX_IN_FLIGHT = 100;
/** An API that answers later than this counts as gone. */
const ANSWER_MS = 30_000;
const READ_EVERY_MS = 1_000;
const EXPECTED = [201, 202, 409, 429, 503];
/** At each merchant. The other requests are sales. */
const RF_ORDER_EVERY = 5;

export class Load {
  readonly accepted: Accepted[] = [];
  /** What no storefront should see. */
  readonly odd: string[] = [];
  readonly #tills: readonly Till[];
  readonly #rate: number;
  readonly #answers = new Map<number, number>();
  readonly #readMs: number[] = [];
  #inFlight = 0;
  #sent = 0;
  #held = 0;

  constructor(ready: ReadyLine, rate: number) {
    this.#rate = rate;
    this.#tills = (['merchant', 'isv'] as const).flatMap((mode) =>
      ready.merchants.filter((one) => one.mode === mode).map((_, index) => new Till(mode, index, ready)),
    );
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
      await (round % RF_ORDER_EVERY === 0 ? this.#order(till, n) : this.#sell(till, round));
    } catch (error) {
      this.odd.push(`a POST had no answer: ${(error as Error).message}`);
    } finally {
      this.#inFlight--;
    }
  }

  async #sell(till: Till, round: number): Promise<void> {
    const { terminals } = till.merchant;
    const additionalCharge = round % 3 === 0 ? { additionalCharge: { amount: 2_000 + (round % 500) } } : {};
    const body = till.saleOf({
      ...{ terminalId: terminals[round % terminals.length]!, amount: 100 + (round % 900) },
      ...additionalCharge,
    });
    const sale = await this.#post(till, '/sales', body);
    if (sale !== undefined) {
      this.accepted.push({ kind: 'sale', id: sale.saleId, till });
      const { chargeId } = sale.additionalCharge ?? {};
      if (chargeId !== undefined) {
        this.accepted.push({ kind: 'charge', id: chargeId, till });
      }
    }
  }

  async #order(till: Till, n: number): Promise<void> {
    const body = {
      merchantId: till.merchant.merchantId,
      amount: 1_000 + (n % 900),
      currency: 'EUR',
      expiresInSeconds: 3_600,
    };
    const order = await this.#post(till, '/rf-orders', body);
    if (order !== undefined) {
      this.accepted.push({ kind: 'rf-order', id: order.rfOrderId, till });
      if (order.rfCode !== undefined) {
        await till.payRf(order);
      }
    }
  }

  async #post(till: Till, path: string, body: object): Promise<Json | undefined> {
    const answer = await within(ANSWER_MS, till.api('POST', path, body, { key: randomUUID() }));
    this.#answers.set(answer.status, (this.#answers.get(answer.status) ?? 0) + 1);
    if (!EXPECTED.includes(answer.status)) {
      this.odd.push(`POST ${path} answered ${answer.status} ${answer.text.slice(0, 200)}`);
    }
    return answer.status < 300 ? answer.body : undefined;
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
