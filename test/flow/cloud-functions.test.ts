/**
 * The functions of the local cloud behave like Lambda functions: errors, timeouts, crashes, limits, retries, isolation,
 * virtual time.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Clock } from '../../sandbox/clock.ts';
import { functionDefinitions } from '../../sandbox/cloud/functions/definition.ts';
import { createFunctions, type FunctionRuntime } from '../../sandbox/cloud/functions/runtime.ts';
import { Logs } from '../../sandbox/cloud/logs.ts';
import { loadStack } from '../../sandbox/cloud/template.ts';
import { type Assembly, lambda, writeAssembly } from './cloud-assembly.ts';

const code = {
  echo: `export const handler = async (event, context) => ({ event, name: context.functionName, left: context.getRemainingTimeInMillis(), env: process.env.GREETING, secret: process.env.SECRET });`,
  fails: `class TransientError extends Error { name = 'TransientError' } export const handler = async () => { throw new TransientError('BUSY: later'); };`,
  exits: `export const handler = async () => { process.exit(3); };`,
  hungry: `export const handler = async () => { const all = []; for (;;) all.push(new Array(1e5).fill(Math.random())); };`,
  spins: `export const handler = async () => { for (;;); };`,
  counts: `let count = 0; export const handler = async () => ++count;`,
  broken: `throw new TypeError('no such table');`,
  empty: `export const other = 1;`,
  sleeps: `import { setTimeout as sleep } from 'node:timers/promises'; export const handler = async (ms) => { const from = Date.now(); await sleep(ms); return Date.now() - from; };`,
  waits: `export const handler = async (url) => { try { await fetch(url, { signal: AbortSignal.timeout(2000) }); } catch (error) { return error.name; } };`,
  calls: `export const handler = async (url) => { for (let i = 0; i < 3; i++) await (await fetch(url)).text(); return 'done'; };`,
  polls: `import { setTimeout as sleep } from 'node:timers/promises'; export const handler = async ({ url, times, everyMs }) => { let polls = 0; while (polls < times) { await fetch(url + 'slow'); polls++; console.log('asleep'); await sleep(everyMs); } return polls; };`,
  flaky: `let tries = 0; export const handler = async () => { console.log(JSON.stringify({ at: Date.now() })); if (++tries < 3) throw new Error('again'); };`,
  talks: `export const handler = async () => { console.log(JSON.stringify({ level: 'INFO', message: 'hello' })); console.error('plain'); };`,
};

let assembly: Assembly;
let clock: Clock;
let logs: Logs;
let functions: FunctionRuntime;
let server: Server;
let url: string;
let requests = 0;
let answering = true;

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    requests++;
    if (answering) {
      setTimeout(() => response.end('ok'), url.endsWith('slow') ? 15 : 0);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  assembly = writeAssembly({
    resources: {
      ...Object.assign({}, ...Object.keys(code).map((name) => lambda(name, { Timeout: 20 }))),
      ...lambda('echo', { Timeout: 20, Environment: { Variables: { GREETING: 'hi' } } }),
      ...lambda('spins', { Timeout: 1 }),
      ...lambda('sleeps', { Timeout: 600, ReservedConcurrentExecutions: 2 }),
      FlakyRetries: {
        Type: 'AWS::Lambda::EventInvokeConfig',
        Properties: { FunctionName: 'flaky', MaximumRetryAttempts: 2 },
      },
    },
    code,
  });
  clock = new Clock();
  logs = new Logs(clock);
  functions = await createFunctions({
    clock,
    logs,
    definitions: functionDefinitions(loadStack({ ...assembly, parameters: {} })),
    region: 'eu-central-1',
    endpoint: 'http://127.0.0.1:9',
    authorizeService: () => undefined,
  });
});

afterEach(async () => {
  answering = true;
  await functions.clear();
});

afterAll(async () => {
  await functions.close();
  clock.stop();
  server.closeAllConnections();
  server.close();
  assembly.remove();
});

it('a function gets the event and returns its result, with its own context and environment only', async () => {
  process.env['SECRET'] = 'of the host';

  const result = await functions.invoke('echo', { amount: 1500 });

  expect(result).toMatchObject({ ok: true, payload: { event: { amount: 1500 }, name: 'echo', env: 'hi' } });
  expect(result).not.toHaveProperty('payload.secret');
  expect((result as { payload: { left: number } }).payload.left).toBeGreaterThan(15_000);
});

it.each([
  ['the name of an error as its type', 'fails', { errorType: 'TransientError', errorMessage: 'BUSY: later' }],
  ['an exit of the process', 'exits', { errorType: 'Runtime.ExitError' }],
  ['more memory than it has', 'hungry', { errorType: 'Runtime.ExitError' }],
  ['a timeout', 'spins', { errorType: 'Sandbox.Timedout' }],
  ['an error while the module loads', 'broken', { errorType: 'TypeError', errorMessage: 'no such table' }],
  ['a handler that is not exported', 'empty', { errorType: 'Runtime.HandlerNotFound' }],
  ['an unknown function', 'nobody', { errorType: 'Lambda.ResourceNotFoundException' }],
])('an invocation reports %s', async (_, name, expected) => {
  expect(await functions.invoke(name, {})).toMatchObject({ ok: false, ...expected });
});

it('a warm instance is reused, and a new one starts after a crash', async () => {
  expect(await functions.invoke('counts', {})).toEqual({ ok: true, payload: 1 });
  expect(await functions.invoke('counts', {})).toEqual({ ok: true, payload: 2 });

  functions.addFault('counts', { kind: 'kill', afterCall: 0, times: 1 });

  expect(await functions.invoke('counts', {})).toMatchObject({ errorType: 'Runtime.ExitError' });
  expect(await functions.invoke('counts', {})).toEqual({ ok: true, payload: 1 });
});

it('a function sleeps for minutes of virtual time within milliseconds', async () => {
  const sleeping = functions.invoke('sleeps', 300_000, { tracked: true });
  await clock.advance(clock.now() + 301_000);

  const { payload } = (await sleeping) as { payload: number };
  expect(payload).toBeGreaterThanOrEqual(300_000);
  expect(payload).toBeLessThan(301_000);
});

it('an unanswered request ends when its timeout passes on the virtual clock', async () => {
  answering = false;
  const waiting = functions.invoke('waits', url);
  await expect.poll(() => requests).toBeGreaterThan(0);
  await clock.advance(clock.now() + 2_000);

  expect(await waiting).toEqual({ ok: true, payload: 'TimeoutError' });
});

it('the clock never passes a function that it has woken, although an outside caller waits for it', async () => {
  const polling = functions.invoke('polls', { url, times: 15, everyMs: 1_000 });
  await expect.poll(() => logs.after(0).some(({ functionName }) => functionName === 'polls')).toBe(true);
  await clock.advance(clock.now() + 100_000);

  expect(await polling).toEqual({ ok: true, payload: 15 });
});

it('an invocation beyond the reserved concurrency is refused', async () => {
  const first = functions.invoke('sleeps', 400_000, { tracked: true });
  const second = functions.invoke('sleeps', 400_000, { tracked: true });

  expect(await functions.invoke('sleeps', 1)).toMatchObject({ errorType: 'Lambda.TooManyRequestsException' });

  await clock.advance(clock.now() + 401_000);
  expect([await first, await second]).toMatchObject([{ ok: true }, { ok: true }]);
});

it('a failed asynchronous invocation is retried after one and two minutes', async () => {
  functions.invokeAsync('flaky', {});
  await clock.advance(clock.now() + 300_000);

  const [first, second, third] = logs
    .after(0)
    .filter(({ functionName, message }) => functionName === 'flaky' && (message as { at?: number }).at !== undefined)
    .map(({ message }) => (message as { at: number }).at);
  expect(Math.round((second! - first!) / 1000)).toBe(60);
  expect(Math.round((third! - second!) / 1000)).toBe(120);
});

it.each([
  ['kill', 'Runtime.ExitError'],
  ['oom', 'Runtime.ExitError'],
  ['timeout', 'Sandbox.Timedout'],
] as const)('the fault %s applies once, right after the second call was answered', async (kind, errorType) => {
  functions.addFault('calls', { kind, afterCall: 2, times: 1 });
  const before = requests;

  const invoked = functions.invoke('calls', url, { tracked: true });
  await clock.advance(clock.now() + 25_000);

  expect(await invoked).toMatchObject({ ok: false, errorType });
  expect(requests - before).toBe(2);
  expect(await functions.invoke('calls', url)).toEqual({ ok: true, payload: 'done' });
});

it('an injected throttle applies as often as requested', async () => {
  functions.addFault('echo', { kind: 'throttle', afterCall: 0, times: 1 });

  expect(await functions.invoke('echo', {})).toMatchObject({ errorType: 'Lambda.TooManyRequestsException' });
  expect(await functions.invoke('echo', {})).toMatchObject({ ok: true });
});

it('the output of a function is kept as log lines', async () => {
  await functions.invoke('talks', {});

  const lines = logs.after(0).filter(({ functionName }) => functionName === 'talks');
  expect(lines.map(({ message }) => message)).toEqual([{ level: 'INFO', message: 'hello' }, 'plain']);
  expect(lines[0]?.requestId).toMatch(/^[0-9a-f-]{36}$/);
});

it('two hundred concurrent invocations are served with few workers', async () => {
  const results = await Promise.all(Array.from({ length: 200 }, () => functions.invoke('counts', {})));

  expect(results.every(({ ok }) => ok)).toBe(true);
});
