/** Who does what when, in a scenario. Storefronts, payers and operators do not wait for each other. Times are seconds from its start. */
import type { VirtualClock } from '../virtual-clock.ts';

export class Agenda {
  readonly beganMs: number;
  readonly #clock: VirtualClock;
  /** When the acts that are still to come begin. */
  readonly #ahead: number[] = [];
  readonly #running: Promise<unknown>[] = [];

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    this.beganMs = clock.now();
  }

  get seconds(): number {
    return (this.#clock.now() - this.beganMs) / 1000;
  }

  at(at: number, work: () => Promise<unknown>): void {
    const later = this.#ahead.findIndex((one) => one > at);
    this.#ahead.splice(later < 0 ? this.#ahead.length : later, 0, at);
    this.#clock.schedule(this.beganMs + at * 1000 - this.#clock.now(), () => {
      this.#ahead.splice(this.#ahead.indexOf(at), 1);
      const running = work();
      running.catch(() => {}); // `live` throws it
      this.#running.push(running);
    });
  }

  after(seconds: number, work: () => Promise<unknown>): void {
    this.at(this.seconds + seconds, work);
  }

  wait(seconds: number): Promise<void> {
    return this.#clock.until(this.#clock.sleep(seconds * 1000));
  }

  /** Lets everything happen until then. Throws what an act threw. */
  async live(end: number): Promise<void> {
    const clock = this.#clock;
    clock.quietUntilMs = () => this.beganMs + (this.#ahead[0] ?? end) * 1000;
    await clock.advance(this.beganMs + end * 1000);
    for (let work = this.#running.shift(); work !== undefined; work = this.#running.shift()) {
      await work;
    }
    clock.quietUntilMs = undefined;
  }
}
