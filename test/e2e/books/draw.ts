/** One seeded stream of choices: the same seed draws the same scenario on every machine. */
export type Draw = () => number;

/** In [0, 1): mulberry32. */
export function draw(seed: number): Draw {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A stream of its own for a part, so that what one part draws does not move the others. */
export function seedOf(seed: number, part: number): number {
  return Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b);
}

/** Both ends included. */
export function numberIn(random: Draw, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1));
}

export function chance(random: Draw, probability: number): boolean {
  return random() < probability;
}

export function pick<T>(random: Draw, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}
