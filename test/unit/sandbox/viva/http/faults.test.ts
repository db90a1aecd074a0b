import { describe, expect, it } from 'vitest';
import { type FaultRequest, Faults, type Subject } from '../../../../../sandbox/viva/http/faults.ts';
import { Random } from '../../../../../sandbox/viva/random.ts';

const request: Subject = { host: 'api', method: 'POST', path: '/nativecheckout/v2/transactions', merchantId: 'm-1' };

/** Returns the oldest fault that applies when every fault finds something to change. */
function struckBy(faults: Faults, subject = request): string | undefined {
  for (const fault of faults.ofRequest(subject)) {
    if (faults.strike(fault)) {
      return fault.name;
    }
  }
  return undefined;
}

function strikes(fault: FaultRequest, times = 1): number {
  const faults = new Faults(() => new Random(1));
  faults.add(fault);
  return Array.from({ length: times }, () => struckBy(faults)).filter((struck) => struck !== undefined).length;
}

describe('a fault of the simulator', () => {
  it.each([
    ['anything', undefined, 1],
    ['a part of the path', { path: 'transactions' }, 1],
    ['a pattern of the whole path', { path: '/nativecheckout/*/transactions' }, 1],
    ['a pattern with another end', { path: '/nativecheckout/*/chargetokens' }, 0],
    ['overlapping ends', { path: '/nativecheckout/v2/transactions*transactions' }, 0],
    ['its method in any case', { method: 'post' }, 1],
    ['another host', { host: 'base' as const }, 0],
    ['the merchant', { merchantId: 'm-1' }, 1],
    ['another merchant', { merchantId: 'm-2' }, 0],
  ])('applies according to %s', (_what, match, expected) => {
    expect(strikes({ name: 'refused', match, times: null })).toBe(expected);
  });

  it('applies as often as requested, or until it is removed', () => {
    expect(strikes({ name: 'refused', times: 2 }, 5)).toBe(2);
    expect(strikes({ name: 'refused', times: null }, 5)).toBe(5);
  });

  it('skips as many requests as requested', () => {
    const faults = new Faults(() => new Random(1));
    faults.add({ name: 'refused', times: 1, skip: 2 });

    expect([1, 2, 3, 4].map(() => struckBy(faults))).toEqual([undefined, undefined, 'refused', undefined]);
  });

  it('never applies to paths of another kind', () => {
    expect(strikes({ name: 'token_endpoint_error', times: null })).toBe(0);
    expect(strikes({ name: 'not_visible', times: null })).toBe(0);
    expect(strikes({ name: 'lost_webhook', times: null })).toBe(0);
  });

  it('lets the next one apply when it is used up', () => {
    const random = new Random(1);
    const faults = new Faults(() => random);
    faults.add({ name: 'refused', times: 1 });
    faults.add({ name: 'forbidden', times: 1 });

    expect([1, 2, 3].map(() => struckBy(faults))).toEqual(['refused', 'forbidden', undefined]);
  });

  it('of a webhook applies by recipient, type and merchant only', () => {
    const faults = new Faults(() => new Random(1));
    faults.add({ name: 'lost_webhook', match: { path: '/isv/1796', merchantId: 'm-1', host: 'api' }, times: null });
    const struck = (path: string, merchantId: string) => faults.strikeWebhook(path, merchantId)?.name;

    expect(struck('/isv/1796', 'm-1')).toBe('lost_webhook');
    expect(struck('/isv/1797', 'm-1')).toBeUndefined();
    expect(struck('/isv/1796', 'm-2')).toBeUndefined();
  });

  it.each([
    ['/ecr/v1/sessions/s-1', 1],
    ['/ecr/isv/v1/sessions/s-1', 1],
    ['/checkout/v2/transactions/t-1', 1],
    ['/api/transactions/t-1', 1],
    ['/api/orders/99', 1],
    ['/api/transactions', 0],
    ['/ecr/v1/sessions', 0],
    ['/ecr/v1/sessions/s-1:abort', 0],
    ['/api/messages/config/token', 0],
  ])('of visibility applies to the read of one item, not to lists or acts: %s', (path, expected) => {
    const faults = new Faults(() => new Random(1));
    faults.add({ name: 'not_visible', times: null });

    expect(Number(struckBy(faults, { method: 'GET', path }) === 'not_visible')).toBe(expected);
  });
});
