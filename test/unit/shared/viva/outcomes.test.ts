import { describe, expect, it } from 'vitest';
import type { Account } from '../../../../shared/payments/items/account.ts';
import type { Viva } from '../../../../shared/viva/viva.ts';
import { everyAddressFailed, json, networkFailure, type Script, timeout } from '../../../fakes/network.ts';
import {
  captureRequest,
  chargeRequest,
  chargeTokenRequest,
  clientOf,
  rejection,
  sale,
  voidRequest,
} from './account.ts';

interface Method {
  readonly name: string;
  readonly settings?: Partial<Account>;
  readonly call: (viva: Viva) => Promise<unknown>;
}

const isv = { mode: 'isv' } as const;

const money: readonly Method[] = [
  { name: 'sendSale', call: (viva) => viva.sendSale(sale) },
  { name: 'createTransaction', call: (viva) => viva.createTransaction(chargeRequest) },
  { name: 'createTransaction of an ISV', settings: isv, call: (viva) => viva.createTransaction(chargeRequest) },
  { name: 'capture', call: (viva) => viva.capture(captureRequest) },
  { name: 'capture of an ISV', settings: isv, call: (viva) => viva.capture(captureRequest) },
  { name: 'voidPreauth', call: (viva) => viva.voidPreauth(voidRequest) },
];

const harmless: readonly Method[] = [
  { name: 'readSession', call: (viva) => viva.readSession('sale-1') },
  { name: 'abortSession', call: (viva) => viva.abortSession('sale-1', 'till-1') },
  { name: 'readTransaction', call: (viva) => viva.readTransaction('tx-1') },
  { name: 'createCardToken', call: (viva) => viva.createCardToken('tx-1') },
  { name: 'createChargeToken', call: (viva) => viva.createChargeToken(chargeTokenRequest) },
];

const everything = [...money, ...harmless];
const html = '<html>Bad gateway</html>';

async function errorOf({ call, settings }: Method, script: Script) {
  const { viva, asked } = clientOf(script, settings);
  return { error: await rejection(call(viva)), calls: asked().length };
}

describe.each([
  ['the connection was refused', () => networkFailure('ECONNREFUSED')],
  ['the host is unknown', () => networkFailure('ENOTFOUND')],
  ['name resolution failed temporarily', () => networkFailure('EAI_AGAIN')],
  ['connecting timed out', () => networkFailure('UND_ERR_CONNECT_TIMEOUT')],
  ['the host cannot be reached', () => networkFailure('EHOSTUNREACH')],
  ['the network cannot be reached', () => networkFailure('ENETUNREACH')],
  ['the system gave up connecting', () => networkFailure('ETIMEDOUT', 'connect')],
  [
    'no address of the host could be reached',
    () => everyAddressFailed(networkFailure('ETIMEDOUT', 'connect'), networkFailure('ENETUNREACH')),
  ],
  ['the certificate has expired', () => networkFailure('CERT_HAS_EXPIRED')],
  ['the certificate belongs to another host', () => networkFailure('ERR_TLS_CERT_ALTNAME_INVALID')],
  ['the certificate has an unknown issuer', () => networkFailure('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
  ['the certificate is self-signed', () => networkFailure('DEPTH_ZERO_SELF_SIGNED_CERT')],
  ['the server supports none of our TLS versions', () => networkFailure('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')],
  ['the server refuses the handshake', () => networkFailure('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE')],
])('when %s', (_, script) => {
  it.each(everything)('$name was provably not sent', async (method) => {
    expect(await errorOf(method, script)).toMatchObject({
      error: { name: 'TransientError', code: 'NOT_SENT' },
      calls: 1,
    });
  });
});

describe.each<[string, Script]>([
  ['the request times out', () => timeout()],
  ['the connection is reset', () => networkFailure('ECONNRESET')],
  ['the connection is reset while it is opened', () => networkFailure('ECONNRESET', 'connect')],
  ['the other side closes the connection', () => networkFailure('UND_ERR_SOCKET')],
  ['the request breaks off', () => networkFailure('EPIPE', 'write')],
  ['the system gives up an open connection', () => networkFailure('ETIMEDOUT', 'read')],
  ['the network is lost under an open connection', () => networkFailure('ENETUNREACH', 'read')],
  ['the host is lost under an open connection', () => networkFailure('EHOSTUNREACH', 'write')],
  ['a refusal names no system call', () => networkFailure('ECONNREFUSED', '')],
  ['the headers of the answer take too long', () => networkFailure('UND_ERR_HEADERS_TIMEOUT')],
  ['the body of the answer takes too long', () => networkFailure('UND_ERR_BODY_TIMEOUT')],
  ['the connection breaks within TLS', () => networkFailure('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC')],
  ['the answer is not TLS', () => networkFailure('ERR_SSL_WRONG_VERSION_NUMBER')],
  ['the client is closed', () => networkFailure('UND_ERR_DESTROYED')],
  ['fetch fails without a reason', () => new TypeError('fetch failed')],
  [
    'one address was reached and then reset',
    () => everyAddressFailed(networkFailure('ECONNREFUSED'), networkFailure('ECONNRESET')),
  ],
  ['several addresses failed without a reason', () => everyAddressFailed()],
  ['the answer is 500', () => json(500, '')],
  ['the answer is 502 of a proxy', () => json(502, html)],
  ['the answer is 503', () => json(503, '')],
  ['the answer is 504', () => json(504, html)],
  ['the answer is 408', () => json(408, '')],
  ['the answer is 429', () => json(429, '')],
])('when %s', (_, script) => {
  it.each(money)('the outcome of $name is unknown, and it is not repeated', async (method) => {
    expect(await errorOf(method, script)).toMatchObject({ error: { name: 'UnknownOutcomeError' }, calls: 1 });
  });

  it.each(harmless)('$name is retryable', async (method) => {
    expect(await errorOf(method, script)).toMatchObject({ error: { name: 'TransientError' }, calls: 1 });
  });
});

describe.each<[string, Script]>([
  ['a 200 breaks off', () => json(200, '{"transactionId":"tx')],
  ['a 200 is empty', () => json(200, '')],
  ['a 200 is the page of another server', () => json(200, html)],
  ['a 200 lacks the required field', () => json(200, { redirectUrl: null })],
  ['a 200 gives no reason for Success false', () => json(200, { Success: false })],
  [
    'a 200 gives no reason for Success false with ErrorCode 0',
    () => json(200, { Success: false, ErrorCode: 0, TransactionId: 'tx-2' }),
  ],
  ['the answer is too large', () => json(200, 'x'.repeat(1024 * 1024 + 1))],
])('when %s', (_, script) => {
  it.each(money.filter(({ name }) => name !== 'sendSale'))('the outcome of $name is unknown', async (method) => {
    expect((await errorOf(method, script)).error).toMatchObject({ name: 'UnknownOutcomeError' });
  });

  it.each(harmless.filter(({ name }) => name !== 'abortSession'))('$name is retryable', async (method) => {
    expect((await errorOf(method, script)).error).toMatchObject({ name: 'TransientError' });
  });
});

describe('a 4xx that is not the platform’s', () => {
  it.each(money)('proves nothing about $name', async (method) => {
    expect((await errorOf(method, () => json(404, html))).error).toMatchObject({ name: 'UnknownOutcomeError' });
    expect((await errorOf(method, () => json(400, { message: 'BadRequest' }))).error).toMatchObject({
      name: 'UnknownOutcomeError',
    });
  });

  it('is a fault when no money can move', async () => {
    const [method] = harmless.filter(({ name }) => name === 'createCardToken');

    expect((await errorOf(method!, () => json(404, html))).error).toMatchObject({
      name: 'FaultError',
      code: 'PLATFORM_REFUSED',
    });
  });
});

describe('a redirect', () => {
  it.each(everything.filter(({ name }) => name !== 'abortSession'))('is not followed by $name', async (method) => {
    const { error, calls } = await errorOf(
      method,
      () => new Response('', { status: 302, headers: { location: 'http://other.test' } }),
    );

    expect(error).toBeInstanceOf(Error);
    expect(calls).toBe(1);
  });
});

describe('an invocation that is about to end', () => {
  const within = async ({ call, settings }: Method, remainingMs: number) => {
    const { viva, asked } = clientOf(
      () => json(200, {}),
      settings,
      () => remainingMs,
    );
    return { error: await rejection(call(viva)), calls: asked().length };
  };
  const notStarted = { error: { name: 'TransientError', code: 'NOT_ENOUGH_TIME' }, calls: 0 };

  it.each(everything)('does not start $name', async (method) => {
    expect(await within(method, 600)).toMatchObject(notStarted);
  });

  it.each(money)('starts $name only when its whole timeout and a write still fit', async (method) => {
    expect(await within(method, 11_999)).toMatchObject(notStarted);
    expect((await within(method, 12_000)).calls).toBe(1);
  });
});

describe('the time limit of a sale request', () => {
  const sendBefore = Date.parse('2026-11-21T10:00:30Z');
  const within = { ...sale, sendBefore: new Date(sendBefore).toISOString() };
  const sentAt = async (times: number[], script: Script) => {
    const now = () => (times.length > 1 ? times.shift()! : times[0]!);
    const { viva, asked } = clientOf(script, {}, () => 20_000, now);
    return { error: await rejection(viva.sendSale(within)), calls: asked().length };
  };
  const notSent = { name: 'TransientError', code: 'TOO_LATE' };

  it('allows the request in its last millisecond, and not in the next', async () => {
    expect(await sentAt([sendBefore], () => json(200, ''))).toEqual({ error: undefined, calls: 1 });
    expect(await sentAt([sendBefore + 1], () => json(200, ''))).toMatchObject({ error: notSent, calls: 0 });
  });

  it('prevents another attempt after a 401 that took until then', async () => {
    const got = await sentAt([sendBefore, sendBefore, sendBefore, sendBefore + 1], () => json(401, ''));

    expect(got).toMatchObject({ error: notSent, calls: 1 });
  });
});

describe('a 401', () => {
  const once = (then: Script): Script => {
    let first = true;
    return (asked) => {
      const reply = first ? json(401, '') : then(asked);
      first = false;
      return reply;
    };
  };

  it('repeats the call with a fresh access token, even when it moves money', async () => {
    const { viva, asked, tokenRequests } = clientOf(once(() => json(200, { transactionId: 'tx-2' })));

    expect(await viva.createTransaction(chargeRequest)).toMatchObject({ transactionId: 'tx-2' });
    expect(asked().map(({ authorization }) => authorization)).toEqual(['Bearer native-1', 'Bearer native-2']);
    expect(asked()[0]?.body).toBe(asked()[1]?.body);
    expect(tokenRequests()).toHaveLength(2);
  });

  it.each(everything)('is a fault of $name when it comes twice', async (method) => {
    expect((await errorOf(method, () => json(401, ''))).error).toMatchObject({
      name: 'FaultError',
      code: 'CREDENTIALS_REFUSED',
    });
  });

  it('leaves an unknown outcome unknown, without a third attempt', async () => {
    const { viva, asked } = clientOf(once(() => timeout()));

    expect(await rejection(viva.createTransaction(chargeRequest))).toMatchObject({ name: 'UnknownOutcomeError' });
    expect(asked()).toHaveLength(2);
  });

  it('to the API key makes the secret be read again', async () => {
    const { viva, secrets, asked } = clientOf(
      once(() => json(200, { ErrorCode: 0, TransactionId: 'tx-3', Success: true })),
    );

    await viva.voidPreauth(voidRequest);

    expect(asked()).toHaveLength(2);
    expect(secrets.reads).toBe(2);
  });
});

it('no error contains what was sent or answered', async () => {
  const secret = 'CANARY-4147463011110133';
  for (const { call, settings } of everything) {
    for (const status of [200, 400, 403, 409, 500]) {
      const { viva } = clientOf(() => json(status, { message: secret, detail: secret, ErrorText: secret }), settings);
      const error = await rejection(call(viva));
      if (error instanceof Error) {
        expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('CANARY');
        expect(error.cause).toBeUndefined();
      }
    }
  }
});
