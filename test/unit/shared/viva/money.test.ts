import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currencies, currencyOf, numericCode, toMajor, toMinor } from '../../../../shared/viva/money.ts';

describe('amounts', () => {
  it('survive the conversion to major units and back exactly, however large', () => {
    fc.assert(
      fc.property(fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }), (minor) => {
        return toMinor(toMajor(minor)) === minor;
      }),
      { numRuns: 100_000 },
    );
  });

  it.each([
    ['1.1', 110],
    ['30', 3000],
    ['30.00', 3000],
    ['30.5', 3050],
    ['0.30', 30],
    ['19.99', 1999],
    ['4.3500', 435],
    ['-12.34', -1234],
    ['0', 0],
    ['-0.00', 0],
    ['90071992547409.91', Number.MAX_SAFE_INTEGER],
  ])('convert %s to %i minor units', (major, minor) => {
    expect(toMinor(major)).toBe(minor);
  });

  it.each(['', '.5', '5.', '1e2', '1.005', '1,50', '+1', ' 1', 'NaN', '90071992547409.92'])(
    'are unknown for %j',
    (major) => {
      expect(toMinor(major)).toBeUndefined();
    },
  );

  it('are written with two decimals', () => {
    expect([toMajor(0), toMajor(5), toMajor(30), toMajor(3010), toMajor(-5)]).toEqual([
      '0.00',
      '0.05',
      '0.30',
      '30.10',
      '-0.05',
    ]);
  });
});

describe('currencies', () => {
  it.each(Object.entries(currencies))('map %s to %s in both directions', (currency, numeric) => {
    expect(numericCode(currency)).toBe(numeric);
    expect(currencyOf(numeric)).toBe(currency);
  });

  it('that are unknown cause a fault when sent, and never equal a known one when read', () => {
    expect(() => numericCode('XXX')).toThrow('CURRENCY_UNKNOWN');
    expect(() => numericCode('toString')).toThrow('CURRENCY_UNKNOWN');
    expect(currencyOf('999')).toBe('999');
  });
});
