import { describe, expect, it } from 'vitest';
import { type FaultRequest, Faults } from '../../../sandbox/platform/faults.ts';
import { Random } from '../../../sandbox/platform/random.ts';

const request = { host: 'api', method: 'POST', path: '/nativecheckout/v2/transactions' } as const;

function strikes(fault: FaultRequest, times = 1): number {
  const faults = new Faults(() => new Random(1));
  faults.add(fault);
  return Array.from({ length: times }, () => faults.strikeRequest(request)).filter((struck) => struck !== undefined)
    .length;
}

describe('a fault', () => {
  it.each([
    ['anything', undefined, 1],
    ['a part of the path', { path: 'transactions' }, 1],
    ['a pattern of the whole path', { path: '/nativecheckout/*/transactions' }, 1],
    ['a pattern that ends elsewhere', { path: '/nativecheckout/*/chargetokens' }, 0],
    ['overlapping ends', { path: '/nativecheckout/v2/transactions*transactions' }, 0],
    ['its method in any case', { method: 'post' }, 1],
    ['another host', { host: 'base' as const }, 0],
  ])('that matches %s strikes accordingly', (_what, match, expected) => {
    expect(strikes({ name: 'refused', match, times: null })).toBe(expected);
  });

  it('strikes as often as it was asked to, or until it is removed', () => {
    expect(strikes({ name: 'refused', times: 2 }, 5)).toBe(2);
    expect(strikes({ name: 'refused', times: null }, 5)).toBe(5);
  });

  it('of a kind that belongs to other paths never strikes here', () => {
    expect(strikes({ name: 'token_endpoint_error', times: null })).toBe(0);
    expect(strikes({ name: 'not_visible', times: null })).toBe(0);
    expect(strikes({ name: 'lost_webhook', times: null })).toBe(0);
  });

  it('lets the next one strike when it is used up', () => {
    const random = new Random(1);
    const faults = new Faults(() => random);
    faults.add({ name: 'refused', times: 1 });
    faults.add({ name: 'forbidden', times: 1 });

    expect([1, 2, 3].map(() => faults.strikeRequest(request)?.name)).toEqual(['refused', 'forbidden', undefined]);
  });
});
