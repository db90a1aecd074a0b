import { expect, it } from 'vitest';
import { growthOf, newInLastTenth } from '../../simulation/growth.ts';
import { signatureOf, withoutRepeats } from '../../simulation/paths.ts';

it.each([
  ['A A A B', 'A B'],
  ['A B A B C', 'A B C'],
  ['A B C D A B C D A B C D E', 'A B C D E'],
  ['A A B A A B C', 'A B C'],
  ['A B A C', 'A B A C'],
  ['', ''],
])('a path has the rounds of a loop once: %s', (steps, path) => {
  expect(withoutRepeats(steps.split(' ')).join(' ')).toBe(path);
});

it('two runs have one signature when they have the same paths in another order', () => {
  const paths = { machine: ['SUCCEEDED: A', 'FAILED: B'], items: ['sale paid: created paid'] };

  expect(signatureOf({ ...paths, machine: paths.machine.toReversed() })).toBe(signatureOf(paths));
  expect(signatureOf({ ...paths, machine: ['SUCCEEDED: A'] })).not.toBe(signatureOf(paths));
});

it('growth counts the paths that were known after so many seeds', () => {
  const machine = new Map([
    ['a', 1],
    ['b', 1_000],
    ['c', 1_001],
    ['d', 2_400],
  ]);
  const found = { first: 1, next: 2_501, machine, items: new Map() };

  expect(growthOf(found)).toEqual([
    { seeds: 1_000, machine: 2, items: 0 },
    { seeds: 2_000, machine: 3, items: 0 },
    { seeds: 2_500, machine: 4, items: 0 },
  ]);
  expect(newInLastTenth(found)).toEqual({ machine: 1, items: 0 });
});
