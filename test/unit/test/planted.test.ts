import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bugs } from '../../simulation/planted/bugs.ts';

it.each(bugs.map((bug) => [bug.name, bug] as const))('can be planted: %s', (_, { file, from, to }) => {
  const code = readFileSync(file, 'utf8');

  expect(code.split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
});
