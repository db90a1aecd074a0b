import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { parseDevOptions } from '../../../sandbox/dev/options.ts';
import { parseOptions } from '../../../sandbox/options.ts';
import { assertUsable } from '../../../sandbox/ports.ts';

it.each(['-1', 'abc', '70000', '1.5', ''])('a port %j is refused with the numbers that are allowed', (port) => {
  const message = `--port must be a whole number from 0 to 65535, not "${port}"`;

  expect(() => parseOptions(['--once', '--port', port])).toThrow(message);
  expect(() => parseDevOptions(['--port', port])).toThrow(message);
});

it('a debugger needs a port of its own', () => {
  expect(() => parseDevOptions(['--inspect-port', '0'])).toThrow('--inspect-port must be a whole number from 1 to');
  expect(() => parseDevOptions(['--inspect', 'create-sale', '--port', '9229'])).toThrow(
    '--port and --inspect-port must differ',
  );
});

it('a taken port is refused with the option that chooses another', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };

  await expect(assertUsable(port, '--inspect-port')).rejects.toThrow(
    `port ${port} is taken; choose another with --inspect-port`,
  );
  other.close();
  await once(other, 'close');
  await assertUsable(port, '--port');
});

it('a port that the demonstration could not call is refused', async () => {
  await expect(assertUsable(1, '--port')).rejects.toThrow(
    /port 1 is (blocked|privileged) .*; choose another with --port/,
  );
});
