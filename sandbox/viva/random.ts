/** The seeded source of every id and code of the platform. A run can be repeated with its seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  hex(length: number): string {
    return this.#text('0123456789abcdef', length);
  }

  digits(length: number): string {
    return this.#text('0123456789', length);
  }

  /** Letters and digits only, so it needs no encoding in Basic credentials, URLs and form bodies. */
  alphanumeric(length: number): string {
    return this.#text('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', length);
  }

  uuid(): string {
    const variant = this.#text('89ab', 1);
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-${variant}${this.hex(3)}-${this.hex(12)}`;
  }

  #text(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[Math.floor(this.next() * alphabet.length)]).join('');
  }
}
