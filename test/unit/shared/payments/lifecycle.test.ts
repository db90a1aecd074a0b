import { describe, expect, it } from 'vitest';
import {
  chargeEnded,
  chargeMayMove,
  chargeStatuses,
  rfOrderEnded,
  rfOrderMayMove,
  rfOrderStatuses,
  saleMayMove,
  saleStatuses,
  terminalEnded,
} from '../../../../shared/payments/lifecycle.ts';

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
      expect(saleMayMove(from, 'created', 'awaiting_card')).toBe(false);
    }
  });

  it('leaves a review for where it entered it, or above', () => {
    expect(saleMayMove('needs_review', 'tokenized', 'tokenized')).toBe(true);
    expect(saleMayMove('needs_review', 'paid', 'awaiting_card')).toBe(true);
    expect(saleMayMove('needs_review', 'paid', 'paid')).toBe(true);
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

describe('the lifecycle of an RF order', () => {
  it('takes money after every end, and calls nothing unpaid that was paid', () => {
    for (const ended of ['expired', 'cancelled', 'failed'] as const) {
      expect(rfOrderMayMove(ended, 'partially_paid')).toBe(true);
      expect(rfOrderMayMove(ended, 'paid')).toBe(true);
      expect(rfOrderMayMove('partially_paid', ended)).toBe(false);
      expect(rfOrderMayMove('paid', ended)).toBe(false);
    }
    expect(rfOrderMayMove('reversed', 'paid')).toBe(false);
  });

  it('leaves a review for where it entered it, or above', () => {
    for (const before of rfOrderStatuses.filter((status) => status !== 'needs_review')) {
      expect(rfOrderMayMove('needs_review', before, before)).toBe(true);
      expect(rfOrderMayMove(before, before)).toBe(false);
      expect(rfOrderMayMove(before, 'needs_review')).toBe(true);
      expect(rfOrderMayMove('needs_review', 'creating', before)).toBe(before === 'creating');
    }
  });

  it('has ended when nothing more is expected', () => {
    expect(rfOrderStatuses.filter((status) => !rfOrderEnded(status))).toEqual([
      'creating',
      'pending',
      'partially_paid',
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
