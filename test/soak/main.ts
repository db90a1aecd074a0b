/**
 * `npm run soak`: real time, real sockets, real workers. Sends sales and RF orders to a sandbox of its own at a steady rate while a tenth
 * of the platform's answers is faulty and functions die. Then it lifts the faults, lets a day pass, and compares the API
 * with the ledger.
 *
 * A terminal takes one sale at a time, and the machine has its limits. So most requests are refused with 409 or 429, and
 * that is part of the test: whatever the load, an accepted sale comes to an end, and the sandbox still answers.
 */
import { parseArgs } from 'node:util';
import { runSandbox } from '../e2e/run-sandbox.ts';
import { Till } from '../till.ts';
import { violationsOf } from './books.ts';
import { Load } from './load.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  console.log(`Usage: npm run soak -- [options]

Sends sales to a sandbox at a steady rate while a tenth of all calls to the platform fails, and then compares the
API with the simulator's ledger. Exit code 1 if anything was lost or doubled.

  --minutes M   how long (default: 10)
  --rate R      requests a second (default: 20)
  --seed N      seed of the simulator (default: 1)`);
  process.exit(0);
}
const minutes = Number(values.minutes);
const rate = Number(values.rate);
if (!(minutes > 0 && rate > 0)) {
  console.error('--minutes and --rate need numbers above 0 (see npm run soak -- --help)');
  process.exit(2);
}

/** The faults that may strike one call, each with its share. Together a tenth. */
const FAULTS = [
  { name: 'refused', probability: 0.02 },
  { name: 'server_error_before', probability: 0.02 },
  { name: 'server_error_after', probability: 0.015 },
  { name: 'answer_lost', probability: 0.02 },
  { name: 'too_many_requests', probability: 0.01 },
  { name: 'malformed_200', probability: 0.01 },
  { name: 'slow', probability: 0.005, delaySeconds: 4 },
  { name: 'lost_webhook', probability: 0.1 },
];
const DEATHS_EVERY_MS = 5_000;
const MORTAL = [
  'send-sale-request',
  'retrieve-transaction',
  'create-card-token',
  'create-charge-token',
  'create-transaction',
];
const TOLD_EVERY_MS = 30_000;
/** Until everything accepted has ended. */
const REST_SECONDS = 24 * 3_600;
const REST_STEP_SECONDS = 900;

const sandbox = await runSandbox(['--port', '0', '--seed', values.seed]);
process.once('SIGINT', () => void sandbox.stop().then(() => process.exit(130)));
try {
  process.exitCode = await soak();
} finally {
  await sandbox.stop();
}

async function soak(): Promise<number> {
  const { ready } = sandbox;
  const till = new Till('merchant', 0, ready);
  for (const fault of FAULTS) {
    await till.control('POST', '/_sim/faults', { ...fault, times: null });
  }
  const load = new Load(ready, rate);
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const telling = setInterval(() => console.error(`${seconds()} s: ${load.summary()}`), TOLD_EVERY_MS);
  const killing = setInterval(() => {
    const name = MORTAL[Math.floor(Math.random() * MORTAL.length)] ?? '';
    till.kill(name, Math.floor(Math.random() * 6)).catch(() => {});
  }, DEATHS_EVERY_MS);
  await load.run(minutes * 60_000);
  clearInterval(telling);
  clearInterval(killing);
  console.log(`${seconds()} s of ${rate} requests a second: ${load.summary()}`);

  for (const { faultId } of (await till.control('GET', '/_sim/faults')).faults) {
    await till.control('DELETE', `/_sim/faults/${faultId}`);
  }
  await load.settle();
  console.log('The faults are over; a day passes.');
  for (let passed = 0; passed < REST_SECONDS; passed += REST_STEP_SECONDS) {
    await till.pass(REST_STEP_SECONDS);
  }
  const violations = [...load.odd, ...(await violationsOf(load.accepted, ready))];
  console.log(
    violations.length === 0
      ? `Nothing was lost and nothing was taken twice: ${load.accepted.length} accepted sales and RF orders agree with the ledger.`
      : violations.join('\n'),
  );
  return violations.length === 0 ? 0 : 1;
}
