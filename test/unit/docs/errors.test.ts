import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { errorsDoc } from '../../../docs/generate-errors.ts';

it('docs/errors.md is current (npm run generate writes it)', () => {
  expect(readFileSync('docs/errors.md', 'utf8')).toBe(errorsDoc());
});
