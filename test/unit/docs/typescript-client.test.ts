import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A workspace of its own, because the generator needs an older compiler than ours. */
const generator = 'test/clients/node_modules/openapi-typescript/bin/cli.js';
const folder = mkdtempSync(join(tmpdir(), 'tillflow-client-'));

beforeAll(() => {
  const options = ['--output', join(folder, 'api.d.ts'), '--default-non-nullable', 'false'];
  execFileSync(process.execPath, [generator, 'docs/openapi.yaml', ...options], { stdio: 'pipe' });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** What the compiler has to say, under `strict`; nothing where it compiles. */
function compile(code: string): string {
  const file = join(folder, 'client.ts');
  writeFileSync(file, `import type { components, paths, webhooks } from './api.d.ts';\n${code}`);
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'];
  try {
    execFileSync('node_modules/.bin/tsc', [...options, '--allowImportingTsExtensions', '--types', '', file]);
    return '';
  } catch (error) {
    return String((error as { stdout: Buffer }).stdout);
  }
}

describe('the types that openapi-typescript makes of the document', () => {
  it('compile under strict, with what a storefront does', () => {
    const code = `
      type Sale = paths['/sales/{saleId}']['get']['responses'][200]['content']['application/json'];
      type Problem = paths['/sales']['post']['responses'][409]['content']['application/problem+json'];
      type Event = webhooks['event']['post']['requestBody']['content']['application/json'];
      export const body: components['schemas']['SaleRequest'] = {
        merchantId: 'm', terminalId: 't', cashRegisterId: 'c', amount: 1500, currency: 'EUR', tokenize: true,
      };
      export const mayCharge = (sale: Sale): boolean => sale.status === 'tokenized' && sale.card?.status === 'active';
      export const expiry = (order: components['schemas']['RfOrder']): string => order.expiresAt ?? 'never';
      export const isBusy = ({ code, saleId }: Problem): boolean => code === 'TERMINAL_IN_USE' && saleId !== undefined;
      export const isPaid = ({ type, data }: Event): boolean => type === 'tillflow.sale.paid.v1' && data.status === 'paid';
    `;

    expect(compile(code)).toBe('');
  }, 60_000);

  it('refuse a status that no sale has', () => {
    expect(compile(`export const status: components['schemas']['SaleStatus'] = 'settled';`)).toContain('TS2322');
  }, 60_000);
});
