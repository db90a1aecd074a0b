import { describe, expect, it } from 'vitest';
import {
  chargeEnded,
  chargeMayMove,
  chargeStatuses,
  saleMayMove,
  saleStatuses,
  terminalEnded,
} from '../../../shared/lifecycle.ts';

describe('the lifecycle of a sale', () => {
  it('lets proof of payment overtake every refusal, and no refusal a payment', () => {
    for (const refused of ['declined', 'cancelled', 'expired', 'failed'] as const) {
      expect(saleMayMove(refused, 'paid')).toBe(true);
      expect(saleMayMove('paid', refused)).toBe(false);
    }
  });

  it('never moves to where it is, and never back', () => {
    for (const from of saleStatuses) {
      expect(saleMayMove(from, from)).toBe(false);
      expect(from !== 'needs_review' && saleMayMove(from, 'created')).toBe(false);
    }
  });

  it('leaves a review for where it entered it, or above', () => {
    expect(saleMayMove('needs_review', 'tokenized', 'tokenized')).toBe(true);
    expect(saleMayMove('needs_review', 'paid', 'awaiting_card')).toBe(true);
    expect(saleMayMove('needs_review', 'awaiting_card', 'unconfirmed')).toBe(false);
    expect(saleMayMove('needs_review', 'needs_review', 'created')).toBe(false);
  });

  it('has ended at the terminal once anything is known', () => {
    expect(saleStatuses.filter((status) => !terminalEnded(status))).toEqual([
      'created',
      'awaiting_card',
      'unconfirmed',
    ]);
  });
});

describe('the lifecycle of a charge', () => {
  it('never leaves failed, because failed was sealed first', () => {
    expect(chargeStatuses.filter((to) => chargeMayMove('failed', to))).toEqual([]);
  });

  it('lets a hold be given back, and a charge not', () => {
    expect(chargeMayMove('authorized', 'expired')).toBe(true);
    expect(chargeMayMove('charged', 'expired')).toBe(false);
    expect(chargeMayMove('captured', 'cancelled')).toBe(false);
  });

  it('is open while the payer, the platform or a capture is waited for', () => {
    expect(chargeStatuses.filter((status) => !chargeEnded(status))).toEqual([
      'created',
      'requires_authentication',
      'processing',
      'authorized',
    ]);
  });
});
