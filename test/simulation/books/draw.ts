/** One seeded stream of choices. The same seed draws the same scenario on every machine. */
import { Random } from '../../../sandbox/viva/random.ts';

export type Draw = () => number;

/** In [0, 1). */
export function draw(seed: number): Draw {
  const random = new Random(seed);
  return () => random.next();
}

/** Returns a separate stream for a part, so that its draws do not change the others. */
export function seedOf(seed: number, part: number): number {
  return Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b);
}

/** Both ends are included. */
export function numberIn(random: Draw, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1));
}

export function chance(random: Draw, probability: number): boolean {
  return random() < probability;
}

export function pick<T>(random: Draw, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}
