/**
 * RF Payment Codes: ISO 11649 creditor references (docs/viva.md, "RF codes"). After the check digits come 9 and the
 * organisation, one digit that tells the bank which amount to enforce, and the identifier.
 */
import type { Random } from '../random.ts';

const ORGANISATION = '91156';
/** In place of the amount's digit: any amount. */
const ANY_AMOUNT = '8';
const CHECK_DIGITS = 2;
/** R and F as numbers, then zeros for the check digits. */
const RF00 = '271500';

export function newRfCode(random: Random, digits: 20 | 23, amount: number | null): string {
  const lead = `${ORGANISATION}${amount === null ? ANY_AMOUNT : amountDigit(amount)}`;
  const reference = `${lead}${random.digits(digits - CHECK_DIGITS - lead.length)}`;
  const check = 98n - (BigInt(`${reference}${RF00}`) % 97n);
  return `RF${String(check).padStart(CHECK_DIGITS, '0')}${reference}`;
}

/** The sum of the amount's digits weighted 1, 7, 3 from the right, modulo 8. */
function amountDigit(amount: number): string {
  const weights = [1, 7, 3];
  const digits = [...String(amount)].reverse();
  const sum = digits.reduce((total, digit, index) => total + Number(digit) * (weights[index % weights.length] ?? 0), 0);
  return String(sum % 8);
}
