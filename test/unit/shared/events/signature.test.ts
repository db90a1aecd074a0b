import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { signedHeaders } from '../../../../shared/events/signature.ts';

const key = Buffer.alloc(32, 7);
const secret = `whsec_${key.toString('base64')}`;

describe('the signature of a callback', () => {
  it('follows the Standard Webhooks specification', () => {
    const headers = signedHeaders(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330_000,
      '{"test": 2432232314}',
    );

    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('covers id, time in whole seconds, and body', () => {
    const expected = createHmac('sha256', key).update('one.1763719200.{}').digest('base64');

    expect(signedHeaders(secret, 'one', 1_763_719_200_999, '{}')).toEqual({
      'webhook-id': 'one',
      'webhook-timestamp': '1763719200',
      'webhook-signature': `v1,${expected}`,
    });
  });

  it.each(['', 'secret', key.toString('base64'), 'whsec_short', 'whsec_not base64 at all, but long enough to be'])(
    'is not made with an invalid secret (%#)',
    (malformed) => {
      expect(() => signedHeaders(malformed, 'one', 0, '{}')).toThrow('CALLBACK_SECRET_MALFORMED');
    },
  );
});

describe('the receiver in docs/api.md', () => {
  type Verified = (headers: Readonly<Record<string, string>>, body: string, secret: string) => boolean;
  const receiver = async (): Promise<Verified> => {
    const doc = readFileSync(new URL('../../../../docs/api.md', import.meta.url), 'utf8');
    const [, code = ''] = /```js\n(.*?createHmac.*?)```/s.exec(doc) ?? [];
    const module = await import(`data:text/javascript,${encodeURIComponent(code)}`);
    return module.verified;
  };

  it('accepts what we sign, and nothing that was changed, signed otherwise, or is old', async () => {
    const verified = await receiver();
    const headers = signedHeaders(secret, 'one', Date.now(), '{}');
    const old = signedHeaders(secret, 'one', Date.now() - 600_000, '{}');

    expect(verified(headers, '{}', secret)).toBe(true);
    expect(verified({ ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }, '{}', secret)).toBe(
      true,
    );
    expect(verified(headers, '{"a":1}', secret)).toBe(false);
    expect(verified({ ...headers, 'webhook-id': 'two' }, '{}', secret)).toBe(false);
    expect(verified(headers, '{}', `whsec_${Buffer.alloc(32, 8).toString('base64')}`)).toBe(false);
    expect(verified(old, '{}', secret)).toBe(false);
    expect(verified({ ...headers, 'webhook-timestamp': 'now' }, '{}', secret)).toBe(false);
  });
});
