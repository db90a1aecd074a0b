import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signedHeaders } from '../../../shared/signature.ts';

const key = Buffer.alloc(32, 7);
const secret = `whsec_${key.toString('base64')}`;

describe('the signature of a callback', () => {
  it('is that of the Standard Webhooks specification', () => {
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

  it('covers id, time and body, and tells times apart by whole seconds', () => {
    const expected = createHmac('sha256', key).update('one.1763719200.{}').digest('base64');

    expect(signedHeaders(secret, 'one', 1_763_719_200_999, '{}')).toEqual({
      'webhook-id': 'one',
      'webhook-timestamp': '1763719200',
      'webhook-signature': `v1,${expected}`,
    });
  });

  it.each(['', 'secret', key.toString('base64'), 'whsec_short', 'whsec_not base64 at all, but long enough to be'])(
    'is not made with a secret that is none (%#)',
    (malformed) => {
      expect(() => signedHeaders(malformed, 'one', 0, '{}')).toThrow('CALLBACK_SECRET_MALFORMED');
    },
  );
});
