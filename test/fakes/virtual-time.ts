/** Time that stands still until a test advances it. What is due happens in order, as soon as nothing else is running. */
interface Entry {
  readonly at: number;
  readonly order: number;
  readonly work: () => void;
}

export class VirtualTime {
  at: number;
  #order = 0;
  readonly #entries: Entry[] = [];

  constructor(start: number) {
    this.at = start;
  }

  readonly now = () => this.at;

  readonly sleep = (ms: number): Promise<void> => new Promise((resolve) => this.after(ms, resolve));

  after(ms: number, work: () => void): void {
    this.#entries.push({ at: this.at + Math.max(0, ms), order: this.#order++, work });
  }

  /** Runs everything that is due until then. */
  async runUntil(end: number): Promise<void> {
    for (;;) {
      await new Promise(setImmediate); // Lets everything finish that needs no time.
      const next = this.#entries.reduce<Entry | undefined>(
        (first, one) => (isBefore(one, first) ? one : first),
        undefined,
      );
      if (next === undefined || next.at > end) {
        this.at = end;
        return;
      }
      this.#entries.splice(this.#entries.indexOf(next), 1);
      this.at = next.at;
      next.work();
    }
  }
}

function isBefore(one: Entry, other: Entry | undefined): boolean {
  return other === undefined || one.at < other.at || (one.at === other.at && one.order < other.order);
}
