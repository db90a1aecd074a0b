import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupRfCode, isRfCode } from '../../../../shared/payments/rf-code.ts';

/** Returns a code with the check digits that fit its reference. */
function codeOf(reference: string): string {
  const check = 98n - (BigInt(`${reference}271500`) % 97n);
  return `RF${String(check).padStart(2, '0')}${reference}`;
}

const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`));
const reference = fc.oneof(digits(18), digits(21));

describe('an RF code', () => {
  it('is valid with correct check digits, with 20 digits and with 23', () => {
    fc.assert(fc.property(reference, (digits) => isRfCode(codeOf(digits))));
  });

  it('is invalid with one digit changed', () => {
    fc.assert(
      fc.property(reference, fc.nat(), fc.integer({ min: 1, max: 9 }), (digits, at, by) => {
        const code = codeOf(digits);
        const position = 2 + (at % (code.length - 2));
        const changed = (Number(code[position]) + by) % 10;
        return !isRfCode(`${code.slice(0, position)}${changed}${code.slice(position + 1)}`);
      }),
    );
  });

  it.each([
    '',
    'RF',
    codeOf('9072600000001234567'),
    codeOf('907260000000123456').toLowerCase(),
    ` ${codeOf('907260000000123456')}`,
  ])('is invalid as %j', (code) => {
    expect(isRfCode(code)).toBe(false);
  });

  it('is printed in groups of four', () => {
    expect(groupRfCode('RF12345678901234567890')).toBe('RF12 3456 7890 1234 5678 90');
    expect(groupRfCode('RF12345678')).toBe('RF12 3456 78');
  });
});
