import { describe, expect, it } from 'vitest';
import {
  chargeEnded,
  chargeMayBecome,
  chargeStatuses,
  rfOrderEnded,
  rfOrderMayBecome,
  rfOrderStatuses,
  saleMayBecome,
  saleStatuses,
  terminalEnded,
} from '../../../../shared/payments/lifecycle.ts';

describe('the lifecycle of a sale', () => {
  it('lets proof of payment replace every refusal, and no refusal a payment', () => {
    for (const refused of ['declined', 'cancelled', 'expired', 'failed'] as const) {
      expect(saleMayBecome(refused, 'paid')).toBe(true);
      expect(saleMayBecome('paid', refused)).toBe(false);
    }
  });

  it('never changes to the same status or back to the first', () => {
    for (const from of saleStatuses) {
      expect(saleMayBecome(from, from)).toBe(false);
      expect(saleMayBecome(from, 'created', 'awaiting_card')).toBe(false);
    }
  });

  it('leaves a review only for the former status or a later one', () => {
    expect(saleMayBecome('needs_review', 'tokenized', 'tokenized')).toBe(true);
    expect(saleMayBecome('needs_review', 'paid', 'awaiting_card')).toBe(true);
    expect(saleMayBecome('needs_review', 'paid', 'paid')).toBe(true);
    expect(saleMayBecome('needs_review', 'awaiting_card', 'unconfirmed')).toBe(false);
    expect(saleMayBecome('needs_review', 'needs_review', 'created')).toBe(false);
  });

  it('counts as ended at the terminal once an outcome is known', () => {
    expect(saleStatuses.filter((status) => !terminalEnded(status))).toEqual([
      'created',
      'awaiting_card',
      'unconfirmed',
    ]);
  });
});

describe('the lifecycle of an RF order', () => {
  it('accepts a payment after every end, and never becomes unpaid again', () => {
    for (const ended of ['expired', 'cancelled', 'failed'] as const) {
      expect(rfOrderMayBecome(ended, 'partially_paid')).toBe(true);
      expect(rfOrderMayBecome(ended, 'paid')).toBe(true);
      expect(rfOrderMayBecome('partially_paid', ended)).toBe(false);
      expect(rfOrderMayBecome('paid', ended)).toBe(false);
    }
    expect(rfOrderMayBecome('reversed', 'paid')).toBe(false);
  });

  it('leaves a review only for the former status or a later one', () => {
    for (const before of rfOrderStatuses.filter((status) => status !== 'needs_review')) {
      expect(rfOrderMayBecome('needs_review', before, before)).toBe(true);
      expect(rfOrderMayBecome(before, before)).toBe(false);
      expect(rfOrderMayBecome(before, 'needs_review')).toBe(true);
      expect(rfOrderMayBecome('needs_review', 'creating', before)).toBe(before === 'creating');
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
  it('never leaves failed, because the charge was sealed first', () => {
    expect(chargeStatuses.filter((to) => chargeMayBecome('failed', to))).toEqual([]);
  });

  it('lets a hold be released, and a charge not', () => {
    expect(chargeMayBecome('authorized', 'expired')).toBe(true);
    expect(chargeMayBecome('charged', 'expired')).toBe(false);
    expect(chargeMayBecome('captured', 'cancelled')).toBe(false);
  });

  it('is open while it waits for the payer, the platform or a capture', () => {
    expect(chargeStatuses.filter((status) => !chargeEnded(status))).toEqual([
      'created',
      'requires_authentication',
      'processing',
      'authorized',
    ]);
  });
});
