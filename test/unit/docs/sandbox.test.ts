import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sandboxDoc } from '../../../docs/generate-sandbox.ts';

it('the generated part of docs/sandbox.md is current', () => {
  expect(readFileSync('docs/sandbox.md', 'utf8')).toBe(sandboxDoc());
});
