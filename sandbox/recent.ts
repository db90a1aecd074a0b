/** What the sandbox records for people and tests to read: the newest entries only, so that it can run for days. */

/** A list that drops its oldest entries beyond a limit, and says how many. */
export class RecentList<T> {
  readonly #limit: number;
  #entries: T[] = [];
  #added = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many entries were added since the last clear. */
  get added(): number {
    return this.#added;
  }

  /** How many of them are gone. */
  get dropped(): number {
    return Math.max(0, this.#added - this.#limit);
  }

  /** Oldest first. */
  get entries(): readonly T[] {
    return this.#entries.length > this.#limit ? this.#entries.slice(-this.#limit) : this.#entries;
  }

  add(entry: T): void {
    this.#added++;
    this.#entries.push(entry);
    if (this.#entries.length >= 2 * this.#limit) {
      this.#entries = this.#entries.slice(-this.#limit);
    }
  }

  clear(): void {
    this.#entries = [];
    this.#added = 0;
  }
}

/** A map that drops the entries that were added first beyond a limit, and says how many. */
export class RecentMap<V> extends Map<string, V> {
  readonly #limit: number;
  dropped = 0;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override set(key: string, value: V): this {
    super.set(key, value);
    if (this.size > this.#limit) {
      const [oldest] = this.keys();
      this.delete(oldest as string);
      this.dropped++;
    }
    return this;
  }

  override clear(): void {
    super.clear();
    this.dropped = 0;
  }
}
