/** The time that a new user waits from the command to the end of the demonstration's sale. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Measurement } from './measurement.ts';

const BUDGET_SECONDS = 15;

export async function measureFirstSale(): Promise<readonly Measurement[]> {
  const startedAt = performance.now();
  await promisify(execFile)(process.execPath, ['sandbox/launch.js', '--once', '--port', '0']);
  const value = (performance.now() - startedAt) / 1000;
  return [{ what: 'first sale of npm start, from the command', budget: BUDGET_SECONDS, value, unit: 's' }];
}
