/** `npm run dev` in a copy of the sources, so that it may change them: a function is swapped, and stops at a breakpoint. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Json } from './till.ts';

const copy = mkdtempSync(join(tmpdir(), 'tillflow-dev-'));
const READ_RESOURCE = join(copy, 'functions/api/read-resource/endpoint.ts');
let child: ChildProcess;
let inspectPort = 0;
let printed = '';

beforeAll(async () => {
  for (const part of [
    'functions',
    'shared',
    'infra',
    'sandbox',
    'require-node.js',
    'package.json',
    'tsconfig.json',
    'cdk.json',
  ]) {
    cpSync(part, join(copy, part), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  inspectPort = await freePort();
  const args = ['--port', '0', '--inspect', 'read-resource', '--inspect-port', String(inspectPort)];
  child = spawn(process.execPath, ['sandbox/dev/main.ts', ...args], { cwd: copy });
  child.stdout?.on('data', (text) => {
    printed += text;
  });
  child.stderr?.on('data', (text) => {
    printed += text;
  });
  await said(/Watching functions/, 100_000);
}, 120_000);

afterAll(async () => {
  if (child.exitCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(copy, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

async function said(pattern: RegExp, timeout = 20_000): Promise<void> {
  await vi.waitFor(() => expect(printed).toMatch(pattern), { timeout, interval: 20 });
}

const apiUrl = () => / API {8}(\S+)/.exec(printed)?.[1];
const token = () => /TOKEN=(\S+)/.exec(printed)?.[1];
const merchant = () => /MERCHANT=(\S+)/.exec(printed)?.[1];

async function api(method: string, path: string, body?: object): Promise<Json> {
  const headers = {
    authorization: `Bearer ${token()}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  };
  const answer = await fetch(`${apiUrl()}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: answer.status, ...((await answer.json()) as object) };
}

const edit = (change: (code: string) => string) =>
  writeFileSync(READ_RESOURCE, change(readFileSync(READ_RESOURCE, 'utf8')));

it('swaps a changed function, keeps the tables, keeps the old code when it does not build, and stops at a breakpoint', async () => {
  const rfOrder = { merchantId: merchant(), amount: 5000, currency: 'EUR' };
  const { rfOrderId } = await api('POST', '/rf-orders', rfOrder);
  const original = readFileSync(READ_RESOURCE, 'utf8');
  expect(await api('GET', `/rf-orders/${rfOrderId}`)).toMatchObject({ status: 'pending' });

  edit((code) =>
    code.replace(/run: async \(([^)]*)\)[^{]*\{/, (start) => `${start}\n    throw new Error('of the new code');`),
  );
  await said(/swapped read-resource in \d+ ms/);
  printed = printed.replace(/swapped .*\n/, '');
  expect(await api('GET', `/rf-orders/${rfOrderId}`)).toMatchObject({ code: 'INTERNAL_ERROR' });
  const lines = readFileSync(READ_RESOURCE, 'utf8').split('\n');
  const thrown = 1 + lines.findIndex((text) => text.includes('of the new code'));
  const logs = await (await fetch(`${/CONTROL=(\S+)/.exec(printed)?.[1]}/_cloud/logs`)).text();
  expect(logs).toContain(`functions/api/read-resource/endpoint.ts:${thrown}:`);

  edit(() => 'this is no TypeScript');
  await said(/the old code stays/);
  expect(await api('GET', `/rf-orders/${rfOrderId}`)).toMatchObject({ code: 'INTERNAL_ERROR' });

  edit(() => original);
  await said(/swapped read-resource in \d+ ms/);
  expect(await api('GET', `/rf-orders/${rfOrderId}`)).toMatchObject({ rfOrderId, status: 'pending' });

  const line = 1 + original.split('\n').findIndex((text) => text.includes("waitPreference(request.header('Prefer'))"));
  const read = () => api('GET', `/rf-orders/${rfOrderId}`);
  expect(await stopsAt('waitPreference(request.header("Prefer"))', read)).toEqual({
    source: join(copy, 'functions/api/read-resource/endpoint.ts'),
    line,
    answer: expect.objectContaining({ rfOrderId, status: 'pending' }),
  });
}, 120_000);

it('swaps a function whose file an editor replaces, each time', async () => {
  for (const message of ['of the first file', 'of the second file']) {
    printed = printed.replace(/swapped .*\n/, '');
    const code = readFileSync(READ_RESOURCE, 'utf8');
    writeFileSync(`${READ_RESOURCE}~`, `${code}\nconsole.info('${message}');\n`);
    renameSync(`${READ_RESOURCE}~`, READ_RESOURCE);
    await said(/swapped read-resource in \d+ ms/);

    await api('GET', `/rf-orders/${crypto.randomUUID()}`);
    const logs = await (await fetch(`${/CONTROL=(\S+)/.exec(printed)?.[1]}/_cloud/logs`)).text();
    expect(logs).toContain(message);
  }
}, 120_000);

it('refuses a debugger port that is in use', async () => {
  const args = ['--port', '0', '--inspect', 'read-resource', '--inspect-port', String(inspectPort)];
  const second = spawn(process.execPath, ['sandbox/dev/main.ts', ...args], { cwd: copy, timeout: 50_000 });

  const [err, [code]] = await Promise.all([text(second.stderr), once(second, 'exit')]);

  expect(code).toBe(1);
  expect(err).toBe(`Port ${inspectPort} is already in use. Choose another port with --inspect-port.\n`);
});

it('stops cleanly, with its bundler, when only its own process gets the signal', async () => {
  printed = '';

  child.kill('SIGINT');
  const [code] = await once(child, 'close'); // of all processes that print there

  expect(code).toBe(0);
  expect(printed).toBe('');
});

/** What a debugger does: attaches, sets a breakpoint by the source map, and goes on after the stop. */
async function stopsAt(code: string, act: () => Promise<Json>): Promise<Json> {
  const [{ webSocketDebuggerUrl }] = (await (await fetch(`http://127.0.0.1:${inspectPort}/json/list`)).json()) as Json;
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, 'open');
  const stopped = Promise.withResolvers<Json>();
  const parsed = Promise.withResolvers<Json>();
  const ask = (method: string, params = {}) => socket.send(JSON.stringify({ id: 1, method, params }));
  socket.addEventListener('message', ({ data }) => {
    const { method, params } = JSON.parse(String(data));
    if (method === 'Debugger.scriptParsed' && params.sourceMapURL !== '') {
      parsed.resolve(params);
    } else if (method === 'Debugger.paused') {
      stopped.resolve(params.callFrames[0].location);
      ask('Debugger.resume');
    }
  });
  ask('Debugger.enable');
  const { url, sourceMapURL } = await parsed.promise;
  const text = readFileSync(fileURLToPath(url), 'utf8').split('\n');
  ask('Debugger.setBreakpointByUrl', { url, lineNumber: text.findIndex((one) => one.includes(code)) });
  const answer = await act();
  const { lineNumber, columnNumber } = await stopped.promise;
  const map = new SourceMap(JSON.parse(readFileSync(fileURLToPath(new URL(sourceMapURL, url)), 'utf8')));
  const { originalSource, originalLine } = map.findEntry(lineNumber, columnNumber) as SourceMapping;
  socket.close();
  return { source: originalSource, line: originalLine + 1, answer };
}
