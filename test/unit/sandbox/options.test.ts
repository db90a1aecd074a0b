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

it.each([[['--port']], [['--port', '--json']]])('an option without its value is refused: %j', (args) => {
  expect(() => parseOptions(args)).toThrow(/^--port needs a value$/);
});

it('a debugger port without a value is refused', () => {
  expect(() => parseDevOptions(['--inspect-port'])).toThrow(/^--inspect-port needs a value$/);
});

it('an option that does not exist, or takes no value, is refused by its name', () => {
  expect(() => parseOptions(['--prot', '1'])).toThrow("'--prot'");
  expect(() => parseOptions(['--json=1'])).toThrow("'--json' does not take an argument");
});

it('a debugger needs a port of its own', () => {
  expect(() => parseDevOptions(['--inspect-port', '0'])).toThrow('--inspect-port must be a whole number from 1 to');
  expect(() => parseDevOptions(['--inspect', 'create-sale', '--port', '9229'])).toThrow(
    '--port and --inspect-port must differ',
  );
});

it('a port that is in use is refused with the option that chooses another', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };

  await expect(assertUsable(port, '--inspect-port')).rejects.toThrow(
    `Port ${port} is already in use. Choose another port with --inspect-port.`,
  );
  other.close();
  await once(other, 'close');
  await assertUsable(port, '--port');
});

it('a port that the demonstration could not call is refused', async () => {
  await expect(assertUsable(1, '--port')).rejects.toThrow(
    /^Port 1 (cannot be used, because browsers|needs the rights) .*\. Choose another port with --port\.$/,
  );
});
