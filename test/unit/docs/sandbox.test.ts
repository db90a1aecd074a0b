import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sandboxDoc } from '../../../docs/generate-sandbox.ts';

it('has a page that says what the simulator does today', () => {
  expect(readFileSync('docs/sandbox.md', 'utf8')).toBe(sandboxDoc());
});
