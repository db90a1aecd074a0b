/**
 * The part of the state machine that a sale at a terminal runs through, in virtual time. Functions may die after any of
 * their calls, and an attempt may continue after the machine has given it up.
 */
import { awaitTerminal } from '../../../../../functions/sale/await-terminal/step.ts';
import { sendSaleRequest } from '../../../../../functions/sale/send-sale-request/step.ts';
import { Random } from '../../../../../sandbox/viva/random.ts';
import { TransientError } from '../../../../../shared/flow/errors.ts';
import type { Payments } from '../../../../../shared/payments/store.ts';
import { endSale } from '../../../../../shared/reconciliation/sale/end.ts';
import type { Viva } from '../../../../../shared/viva/viva.ts';
import type { VirtualTime } from '../../../../fakes/virtual-time.ts';
import { SALE_ID, type World } from '../../../../fakes/world.ts';
import type { TerminalService } from './terminal-service.ts';

const SECOND = 1000;

interface State {
  readonly name: 'SendSaleRequest' | 'AwaitTerminal';
  readonly lifeMs: number;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly pauseMs: number;
}

const states: readonly State[] = [
  { name: 'SendSaleRequest', lifeMs: 20 * SECOND, timeoutMs: 25 * SECOND, attempts: 15, pauseMs: 2 * SECOND },
  { name: 'AwaitTerminal', lifeMs: 5 * SECOND, timeoutMs: 6 * SECOND, attempts: 41, pauseMs: SECOND },
];

export class Flow {
  deaths = 0;
  ghosts = 0;
  readonly #time: VirtualTime;
  readonly #world: World;
  readonly #service: TerminalService;
  readonly #random: Random;
  /** How often an attempt dies, and how often the machine gives up a live attempt. */
  readonly #deathRate: number;
  readonly #ghostRate: number;
  #tokens = 0;

  constructor(time: VirtualTime, world: World, service: TerminalService, seed: number) {
    this.#time = time;
    this.#world = world;
    this.#service = service;
    this.#random = new Random(seed);
    this.#deathRate = this.#oneOf([0, 0, 0.1, 0.4]);
    this.#ghostRate = this.#oneOf([0, 0, 0.1, 0.4]);
  }

  /** Runs one execution from the start. It may be stopped early. */
  async run(): Promise<void> {
    const lastsMs = this.#chance(0.1) ? this.#random.next() * 60 * SECOND : Number.POSITIVE_INFINITY;
    const end = this.#time.at + lastsMs;
    for (const state of states) {
      const result = await this.#enter(state, end);
      if (result === 'failed') {
        await endSale(SALE_ID, { state: state.name, error: 'any' }, this.#world);
        return;
      }
      if (result === 'stopped') {
        return;
      }
    }
  }

  async #enter(state: State, end: number): Promise<'next' | 'failed' | 'stopped'> {
    for (let attempt = 0; attempt < state.attempts; attempt++) {
      if (this.#time.at >= end) {
        return 'stopped';
      }
      const result = await this.#attempt(state);
      if (result !== 'again') {
        return result;
      }
      await this.#time.sleep(state.pauseMs);
    }
    return 'failed';
  }

  /** Runs one attempt and returns what the machine sees; the attempt may continue after that. */
  #attempt(state: State): Promise<'next' | 'failed' | 'again'> {
    return new Promise((resolve) => {
      const taskToken = `token-${++this.#tokens}`;
      const ghost = this.#chance(this.#ghostRate);
      if (ghost) {
        this.ghosts++;
        this.#time.after(this.#random.next() * 5 * SECOND, () => resolve('again'));
      }
      // Only a frozen attempt outlives the time of its function.
      const diesAt = this.#time.at + (ghost ? 90 * SECOND : state.lifeMs);
      const dies = () => resolve('again');
      const payments = this.#seamed(this.#world.payments, diesAt, ghost, dies) as Payments;
      const { now } = this.#time;
      const invocation = { remainingMs: () => diesAt - this.#time.at };
      const vivaFor = () => {
        const viva = this.#service.vivaFor({ terminalApi: 'merchant' } as never);
        return this.#seamed(viva, diesAt, ghost, dies) as Viva;
      };
      const sleep = (ms: number) => this.#time.sleep(ms);
      const completeTask = async (token: string) => (token === taskToken ? resolve('next') : undefined);
      const deps = { payments, vivaFor, now, sleep, completeTask };
      const run =
        state.name === 'SendSaleRequest'
          ? sendSaleRequest.run({ saleId: SALE_ID }, deps, invocation).then(() => resolve('next'))
          : awaitTerminal.run({ saleId: SALE_ID, taskToken }, deps, invocation);
      run.catch((error: unknown) => resolve(error instanceof TransientError ? 'again' : 'failed'));
      this.#time.after(state.timeoutMs, () => resolve('again'));
    });
  }

  /** Makes every call take time. Any call may be the last one of its attempt: it takes effect, but its answer is lost. */
  #seamed(target: object, diesAt: number, ghost: boolean, onDeath: () => void): object {
    let dead = false;
    return new Proxy(target, {
      get: (object, name) => {
        const method = Reflect.get(object, name) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          await this.#time.sleep(ghost && this.#chance(0.3) ? this.#random.next() * 60 * SECOND : 10);
          dead ||= this.#time.at >= diesAt;
          if (dead) {
            return new Promise(() => {});
          }
          const result = await method.apply(object, args);
          if (this.#chance(this.#deathRate / 4)) {
            dead = true;
            this.deaths++;
            onDeath();
          }
          return dead ? new Promise(() => {}) : result;
        };
      },
    });
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  #oneOf<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random.next() * values.length)] as T;
  }
}
