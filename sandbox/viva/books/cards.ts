/** The cards that a payer may present: what the platform tells about each, and how its issuer behaves later. */
import { athensDay } from '../athens.ts';

export const CARD_NAMES = [
  'visa',
  'mastercard',
  'wallet',
  'no_expiry',
  'expires_this_month',
  'challenge',
  'declines_later',
] as const;
export type CardName = (typeof CARD_NAMES)[number];

export interface Card {
  readonly name: CardName;
  readonly maskedNumber: string;
  readonly brand: 'Visa' | 'MasterCard';
  readonly cardTypeId: number;
  readonly aid: string;
  readonly holderName: string;
  readonly uniqueReference: string;
  readonly issuingBank: string;
  /** Null if the platform does not know it. */
  readonly expiry: { readonly year: number; readonly month: number } | null;
  /** Set for a phone wallet: such a card cannot be tokenized. */
  readonly digitalWalletId: number | null;
}

export const CARD_MEANINGS: Readonly<Record<CardName, string>> = {
  visa: 'pays, can be tokenized and charged later',
  mastercard: 'pays, can be tokenized and charged later',
  wallet: 'a phone wallet: pays, and cannot be tokenized',
  no_expiry: 'pays, but the transaction has no expiry date',
  expires_this_month: 'pays, and expires in the current month',
  challenge: 'pays; its issuer asks for authentication when a charge token is created without moto',
  declines_later: 'pays on the terminal; charges of its token are declined (10051)',
};

const VISA = { brand: 'Visa', cardTypeId: 0, aid: 'A0000000031010', issuingBank: 'SANDBOX BANK' } as const;
const MASTERCARD = { brand: 'MasterCard', cardTypeId: 1, aid: 'A0000000041010', issuingBank: 'SANDBOX BANK' } as const;
const LATE = { year: 2031, month: 12 };

export function presentCard(name: CardName, nowMs: number): Card {
  const [year, month] = athensDay(nowMs).split('-').map(Number) as [number, number];
  const expiry = name === 'no_expiry' ? null : name === 'expires_this_month' ? { year, month } : LATE;
  return {
    ...(name === 'mastercard' || name === 'challenge' ? MASTERCARD : VISA),
    name,
    maskedNumber: MASKED[name],
    holderName: 'CANARY HOLDER',
    uniqueReference: name.toUpperCase().replaceAll('_', '').padEnd(24, '0'),
    expiry,
    digitalWalletId: name === 'wallet' ? 1 : null,
  };
}

const MASKED: Readonly<Record<CardName, string>> = {
  visa: '414746XXXXXX0133',
  mastercard: '523929XXXXXX0101',
  wallet: '414746XXXXXX7712',
  no_expiry: '414746XXXXXX0208',
  expires_this_month: '414746XXXXXX0307',
  challenge: '518834XXXXXX0060',
  declines_later: '414746XXXXXX0141',
};

/** The event id of an amount that is always declined: 9951 gives 10051. */
export function declineEventIdOf(amount: number): number | undefined {
  return amount > 9900 && amount <= 9999 ? 10_000 + (amount - 9900) : undefined;
}
