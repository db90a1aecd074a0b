import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sandboxDoc } from '../../../docs/generate-sandbox.ts';

it('docs/sandbox.md is current (npm run generate writes it)', () => {
  expect(readFileSync('docs/sandbox.md', 'utf8')).toBe(sandboxDoc());
});
