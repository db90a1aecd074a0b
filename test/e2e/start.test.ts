import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { runSandbox } from './run-sandbox.ts';

async function start(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, ['sandbox/launch.js', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, err };
}

describe('npm start', () => {
  it('demonstrates a sale with a charge, agrees with the ledger, and exits with 0 with --once', async () => {
    const { code, out } = await start('--once', '--port', '0');

    expect(code).toBe(0);
    for (const state of ['SendSaleRequest', 'AwaitTerminal', 'CreateCardToken', 'CreateTransaction']) {
      expect(out).toMatch(new RegExp(`${state} +exited +\\d+ ms`));
    }
    expect(out).toContain("The simulator's ledger agrees.");
  });

  it('prints one line and nothing else with --json, and stops cleanly on a signal', async () => {
    const sandbox = await runSandbox(['--port', '0']);
    const answer = await fetch(`${sandbox.ready.controlUrl}/_sim`);

    const code = await sandbox.stop('SIGINT');

    expect(answer.status).toBe(200);
    expect(code).toBe(0);
    expect(sandbox.lines).toHaveLength(1);
    expect(sandbox.ready).toMatchObject({
      ready: true,
      apiUrl: expect.stringContaining('http://127.0.0.1:'),
      storefront: { clientId: expect.any(String), accessToken: expect.any(String) },
      isv: { resellerId: expect.any(String) },
    });
    expect(sandbox.ready.merchants.filter(({ mode }) => mode === 'merchant').length).toBeGreaterThanOrEqual(2);
    expect(sandbox.ready.merchants.filter(({ mode }) => mode === 'isv').length).toBeGreaterThanOrEqual(2);
  });

  it('reports in one line that its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };

    const { code, err } = await start('--once', '--port', String(port));
    other.close();

    expect(code).toBe(1);
    expect(err.trim().split('\n')).toEqual([expect.stringContaining(`Port ${port} is already in use`)]);
  });

  it('reports in one line that its port cannot be called', async () => {
    const { code, err } = await start('--once', '--port', '1');

    expect(code).toBe(1);
    expect(err.trim().split('\n')).toEqual([expect.stringContaining('Choose another port with --port')]);
  });

  it.each([['--pirt', '1'], ['--port', 'x'], ['--port', '-1'], ['--port', '70000'], ['--once', '--json'], ['now']])(
    'refuses %s in one line that names --help',
    async (...args) => {
      const { code, err } = await start(...args);

      expect(code).toBe(1);
      expect(err.trim().split('\n')).toEqual([expect.stringContaining('--help')]);
    },
  );

  it('explains its options', async () => {
    expect(await start('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--port N') });
  });
});
