import { describe, expect, it } from 'vitest';
import { athensDay, athensTime } from '../../../../sandbox/viva/athens.ts';
import { declineEventIdOf, presentCard } from '../../../../sandbox/viva/books/cards.ts';
import { newRfCode } from '../../../../sandbox/viva/books/rf-code.ts';
import { expirationDate } from '../../../../sandbox/viva/books/transaction-views.ts';
import { majorUnits, parseJson } from '../../../../sandbox/viva/http/json.ts';
import { Random } from '../../../../sandbox/viva/random.ts';

/** ISO 11649: check digits moved to the end, letters as numbers, remainder 1. */
function remainder(rfCode: string): bigint {
  const moved = `${rfCode.slice(4)}${rfCode.slice(0, 4)}`;
  return BigInt([...moved].map((char) => Number.parseInt(char, 36)).join('')) % 97n;
}

describe('RF codes', () => {
  it.each([20, 23] as const)('have %i digits and valid check digits', (digits) => {
    const random = new Random(1);
    const codes = Array.from({ length: 200 }, (_, index) => newRfCode(random, digits, index % 2 ? null : 4200 + index));

    expect(codes.every((code) => code.length === digits + 2 && remainder(code) === 1n)).toBe(true);
  });

  it('contain 8 for an open amount, and else a digit derived from the amount', () => {
    const random = new Random(1);

    expect(newRfCode(random, 23, null)[9]).toBe('8');
    // 1·0 + 7·0 + 3·2 + 1·4 = 10, modulo 8.
    expect(newRfCode(random, 23, 4200)[9]).toBe('2');
  });
});

describe('numbers', () => {
  it('are written in major units exactly to the cent', () => {
    const amounts = [0, 5, 110, 1500, -4200, 9_007_199_254_740_991];

    expect(JSON.stringify(amounts.map(majorUnits))).toBe('[0.00,0.05,1.10,15.00,-42.00,90071992547409.91]');
  });

  it('beyond 2^53 are read as their digits', () => {
    expect(parseJson('{"orderCode":9948100551072601,"amount":42}')).toEqual({
      orderCode: '9948100551072601',
      amount: 42,
    });
  });

  it('are not read from invalid JSON', () => {
    expect(parseJson('{"amount":')).toBeUndefined();
  });
});

describe('dates', () => {
  it('change at midnight in Athens, in summer and in winter', () => {
    expect(athensDay(Date.parse('2026-07-31T21:30:00Z'))).toBe('2026-08-01');
    expect(athensDay(Date.parse('2026-12-31T21:30:00Z'))).toBe('2026-12-31');
    expect(athensTime(Date.parse('2026-07-31T21:30:00Z'))).toBe('2026-08-01T00:30:00+03:00');
  });

  it('of a card’s expiry are the last day of its month', () => {
    const card = presentCard('expires_this_month', Date.parse('2028-02-10T12:00:00Z'));

    expect(expirationDate(card)).toBe('2028-02-29T00:00:00');
    expect(expirationDate(presentCard('no_expiry', 0))).toBeNull();
  });
});

describe('magic amounts', () => {
  it('decline from 9901 to 9999, with the event id of their last two digits', () => {
    expect([9900, 9901, 9951, 9999, 10_000].map(declineEventIdOf)).toEqual([
      undefined,
      10_001,
      10_051,
      10_099,
      undefined,
    ]);
  });
});
