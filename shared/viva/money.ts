/**
 * The table of currencies, and the conversion between our amounts (integer minor units, ISO 4217 letters) and the
 * platform's (numeric codes, and in older answers decimals of major units). Decimals are converted from their text,
 * because `1.1 * 100` is not 110 (docs/viva.md, "Amounts and currencies").
 */
import { FaultError } from '../flow/errors.ts';

/** The currencies of the platform, with their numeric codes. All have two decimals. */
export const currencies = {
  EUR: '978',
  GBP: '826',
  RON: '946',
  PLN: '985',
  CZK: '203',
  HUF: '348',
  SEK: '752',
  DKK: '208',
  NOK: '578',
  BGN: '975',
} as const;

const DECIMALS = 2;
const MAJOR = /^(-?)(\d+)(?:\.(\d+))?$/;

/** `EUR` is `978`. */
export function numericCode(currency: string): string {
  if (!Object.hasOwn(currencies, currency)) {
    throw new FaultError('CURRENCY_UNKNOWN', 'the platform has no such currency', { context: { currency } });
  }
  return currencies[currency as keyof typeof currencies];
}

/** `978` is `EUR`. An unknown code stays as it is, so that it differs from every requested currency. */
export function currencyOf(numeric: string): string {
  const code = numeric.padStart(3, '0');
  return Object.entries(currencies).find(([, known]) => known === code)?.[0] ?? numeric;
}

/** `30.1` is 3010. Undefined if the text is not an amount, or is finer than a minor unit. */
export function toMinor(major: string): number | undefined {
  const [, sign, whole, fraction = ''] = MAJOR.exec(major) ?? [];
  if (whole === undefined || !/^0*$/.test(fraction.slice(DECIMALS))) {
    return undefined;
  }
  const minor = Number(`${sign}${whole}${fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0')}`);
  return Number.isSafeInteger(minor) ? minor + 0 : undefined;
}

/** 3010 is `30.10`. */
export function toMajor(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(DECIMALS + 1, '0');
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}
