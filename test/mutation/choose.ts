/** Chooses a sample that depends only on the seed and on each mutant, so that a change of one file keeps the rest of it. */
import { createHash } from 'node:crypto';

export function choose<T extends { readonly id: string }>(all: readonly T[], size: number, seed: string): readonly T[] {
  const rank = ({ id }: T) => createHash('sha256').update(`${seed}|${id}`).digest('hex');
  return all
    .map((one) => [rank(one), one] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, size)
    .map(([, one]) => one);
}
