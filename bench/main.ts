/**
 * `npm run bench`: the budgets of the project, the measured values, and the ratio. Every ratio compares two things
 * measured in the same run, because machines are shared and noisy. Not part of the tests.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions } from '../infra/bundle.ts';
import { measureBundles } from './bundles.ts';
import { measureFirstSale } from './first-sale.ts';
import type { Measurement } from './measurement.ts';
import { measureSales } from './sales.ts';
import { measureWebhooks } from './webhooks.ts';

const directory = await mkdtemp(join(tmpdir(), 'tillflow-bench-'));
try {
  await bundleFunctions(directory);
  const parts: readonly [string, () => Promise<readonly Measurement[]>][] = [
    ['bundles and module load', () => measureBundles(directory)],
    ['the first sale after the command', measureFirstSale],
    ['sales', measureSales],
    ['webhooks', () => measureWebhooks(directory)],
  ];
  let exceeded = 0;
  for (const [part, measure] of parts) {
    process.stderr.write(`measuring ${part} …\n`);
    for (const { what, budget, value, unit } of await measure()) {
      const ratio = value / budget;
      exceeded += ratio > 1 ? 1 : 0;
      const numbers = [`budget ${round(budget)}`, `value ${round(value)}`, `ratio ${ratio.toFixed(2)}`];
      console.log(
        `${ratio > 1 ? 'OVER' : 'ok  '}  ${what.padEnd(62)} ${numbers.map((n) => n.padEnd(14)).join(' ')} ${unit}`,
      );
    }
  }
  process.exitCode = exceeded === 0 ? 0 : 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}

function round(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
