import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPost, isPrivate, publicOnly } from '../../../../functions/events/deliver-event/post.ts';

let server: Server;
let url: string;
const closed = Promise.withResolvers<void>();
const received: { path: string | undefined; body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    if (request.url === '/upgrade') {
      request.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
      return;
    }
    if (request.url === '/endless') {
      response.on('close', () => closed.resolve());
      response.writeHead(200).write('more');
      return;
    }
    if (request.url === '/hang-up') {
      request.socket.destroy();
      return;
    }
    received.push({ path: request.url, body: Buffer.concat(await request.toArray()).toString() });
    response.writeHead(request.url === '/redirected' ? 302 : 204, { location: '/elsewhere' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

describe('a callback address', () => {
  /** The first and last address of each range that IANA lists as not globally reachable, and of multicast. */
  it.each([
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.88.99.0', '192.88.99.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '255.255.255.255'],
    ['::', '::ffff:ffff:ffff'],
    ['::ffff:1.1.1.1', '::ffff:10.0.0.1'],
    ['64:ff9b::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['100::', '100:0:0:1:ffff:ffff:ffff:ffff'],
    ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['4000::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fd00:ec2::254', 'fe80::1'],
    ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('is not public from %s to %s', (first, last) => {
    expect([isPrivate(first), isPrivate(last)]).toEqual([true, true]);
  });

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '100.128.0.0',
    '172.32.0.1',
    '192.0.1.0',
    '192.0.3.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.101.0',
    '203.0.112.255',
    '223.255.255.255',
    '2001:200::',
    '2001:db7:ffff::',
    '2001:db9::',
    '2003::',
    '2606:4700:4700::1111',
    '3ffe:ffff::',
  ])('%s is public', (address) => {
    expect(isPrivate(address)).toBe(false);
  });

  it.each([
    'http://shop.example/hook',
    'https://127.0.0.1/hook',
    'https://2130706433/hook',
    'https://0x7f.1/hook',
    'https://[::1]/hook',
    'https://[::ffff:127.0.0.1]/hook',
    'https://1.1.1.1/hook',
    'https://127.0.0.1./hook',
    'https://user:word@shop.example/hook',
    'ftp://shop.example/hook',
    'not a url',
  ])('%s is refused before anything is sent', async (address) => {
    const post = createPost({ allowPrivate: false });

    expect(await post(address, {}, '{}')).toEqual({ accepted: false, status: 'ADDRESS_REFUSED' });
  });

  it('is refused at connection time when a name resolves to a private address', async () => {
    const refused = new Promise((resolve) => {
      publicOnly('localhost', { all: true }, (error) => resolve(error?.code));
    });

    expect(await refused).toBe('ADDRESS_REFUSED');
    expect(await createPost({ allowPrivate: false })('https://localhost/hook', {}, '{}')).toEqual({
      accepted: false,
      status: 'ADDRESS_REFUSED',
    });
  });

  /** The arguments of the lookup’s callback. */
  const lookedUp = (name: string, all: boolean) =>
    new Promise<unknown[]>((resolve) =>
      publicOnly(name, { all }, (error, ...found) => resolve([error?.code, ...found])),
    );

  it('is resolved when it is public, for one address and for all', async () => {
    expect(await lookedUp('1.1.1.1', true)).toEqual([undefined, [{ address: '1.1.1.1', family: 4 }]]);
    expect(await lookedUp('1.1.1.1', false)).toEqual([undefined, '1.1.1.1', 4]);
    expect(await lookedUp('2606:4700:4700::1111', false)).toEqual([undefined, '2606:4700:4700::1111', 6]);
  });

  it.each([true, false])('is not resolved when the name does not exist (all: %s)', async (all) => {
    expect(await lookedUp('no such name', all)).toEqual([expect.stringMatching(/^(ENOTFOUND|EAI_)/), []]);
  });

  it('may be on this machine in the sandbox only', async () => {
    expect(await createPost({ allowPrivate: true })(`${url}/hook`, {}, '{"a":1}')).toEqual({
      accepted: true,
      status: '204',
    });
    expect(received.at(-1)).toEqual({ path: '/hook', body: '{"a":1}' });
  });

  it('is not followed to a redirect', async () => {
    expect(await createPost({ allowPrivate: true })(`${url}/redirected`, {}, '{}')).toEqual({
      accepted: false,
      status: '302',
    });
    expect(received.at(-1)?.path).toBe('/redirected');
  });

  it('is not read further once its status is known', async () => {
    expect(await createPost({ allowPrivate: true })(`${url}/endless`, {}, '{}')).toEqual({
      accepted: true,
      status: '200',
    });
    await closed.promise;
  });

  it.each([
    ['changes the protocol', '/upgrade', {}, 'NO_ANSWER'],
    ['hangs up', '/hang-up', {}, 'ECONNRESET'],
    ['cannot be sent such a header', '/hook', { 'webhook-id': 'a\r\nb' }, 'ERR_INVALID_CHAR'],
  ])('that %s ends the attempt with a status', async (_, path, headers, status) => {
    const post = createPost({ allowPrivate: true });

    expect(await post(`${url}${path}`, headers, '{}')).toEqual({ accepted: false, status });
  });

  it('reports why when nothing listens there', async () => {
    expect(await createPost({ allowPrivate: true })('http://127.0.0.1:1/hook', {}, '{}')).toEqual({
      accepted: false,
      status: 'ECONNREFUSED',
    });
  });
});
