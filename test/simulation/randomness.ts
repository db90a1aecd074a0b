/**
 * The one source of randomness of a world: streams by name, so that a draw of one part does not change those of another.
 * Scenarios that differ in one fault stay alike in the rest.
 */
import { Random } from '../../sandbox/viva/random.ts';

export class Randomness {
  readonly #seed: number;
  readonly #streams = new Map<string, Random>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  of(name: string): Random {
    let stream = this.#streams.get(name);
    if (stream === undefined) {
      stream = new Random(hash(`${this.#seed} ${name}`));
      this.#streams.set(name, stream);
    }
    return stream;
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return value >>> 0;
}
