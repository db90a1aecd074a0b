/**
 * A sandbox that runs for days: under a bounded load it stays under 1 GB, and its memory does not grow with what it served.
 * `REQUESTS=20000 npm run prove -- memory` sends as many. Without `REQUESTS` it is skipped: what a process holds depends on the
 * machine.
 */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningSandbox, runSandbox } from './run-sandbox.ts';
import { type Json, Till } from './till.ts';

const REQUESTS = Number(process.env['REQUESTS'] ?? 0);
const ROUNDS = 4;
const MAX_MB = 1_000;
/** In the last round: every log and history is full by then. */
const MAX_GROWTH_MB = 50;

let sandbox: RunningSandbox | undefined;
beforeAll(async () => {
  if (REQUESTS > 0) {
    sandbox = await runSandbox(['--port', '0']);
  }
});
afterAll(() => sandbox?.stop());

function residentMb(): number {
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(sandbox?.pid)], { encoding: 'utf8' });
  return Number(kilobytes) / 1024;
}

/** A few sales and RF orders, then reads of them until the round has sent its part. */
async function serve(till: Till, requests: number): Promise<void> {
  const list = `?merchantId=${till.merchant.merchantId}&limit=20`;
  let sent = 0;
  for (let n = 0; n < requests / 100; n++) {
    await till.sell({ tokenize: false });
    await till.payRf(await till.orderRf());
    sent += 2;
  }
  for (; sent < requests; sent += 2) {
    const answers: Json[] = await Promise.all([till.api('GET', `/sales${list}`), till.api('GET', `/rf-orders${list}`)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  }
}

it.runIf(REQUESTS > 0)(`stays under ${MAX_MB} MB over ${REQUESTS} requests`, { timeout: 1_800_000 }, async () => {
  const till = new Till('merchant', 0, sandbox!.ready);
  await till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { mode: 'auto', delayMs: 0 });

  const measured: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await serve(till, REQUESTS / ROUNDS);
    measured.push(residentMb());
  }

  expect(Math.max(...measured), measured.join(' ')).toBeLessThan(MAX_MB);
  expect(measured.at(-1)! - measured.at(-2)!, measured.join(' ')).toBeLessThan(MAX_GROWTH_MB);
});
