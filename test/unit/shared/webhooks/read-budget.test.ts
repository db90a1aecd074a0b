import { expect, it } from 'vitest';
import { spent, unspent } from '../../../../shared/webhooks/read-budget.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

/** Returns how many reads are left now. */
function left(spentUntil: string | undefined, now: number): number {
  let count = 0;
  for (let next = spent(spentUntil, now); next !== undefined; next = spent(next, now)) {
    count++;
  }
  return count;
}

it('allows five reads at once and one more each minute, at most five', () => {
  let all: string | undefined;
  for (let n = 0; n < 5; n++) {
    all = spent(all, NOW);
  }

  expect(left(undefined, NOW)).toBe(5);
  expect([0, 59_999, 60_000, 180_000, 300_000, 86_400_000].map((ms) => left(all, NOW + ms))).toEqual([
    0, 0, 1, 3, 5, 5,
  ]);
});

it('gives back a read that did not happen', () => {
  const once = spent(undefined, NOW) ?? '';

  expect(left(once, NOW)).toBe(4);
  expect(left(unspent(once), NOW)).toBe(5);
});
