/** What is open, kind by kind and status by status, written as a separate table. Every open item must have a due time. */
import { describe, expect, it } from 'vitest';
import { dueAtOf, isOpen } from '../../../../shared/payments/due.ts';
import type { Items, Kind } from '../../../../shared/payments/items.ts';
import { chargeStatuses, rfOrderStatuses, saleStatuses } from '../../../../shared/payments/lifecycle.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const IN_FIVE_MINUTES = '2026-11-21T10:05:00.000Z';

function open(kind: Kind, item: object): boolean {
  return isOpen(kind, item as Items[Kind]);
}

const sale = { tokenization: { status: 'none' } };
const charge = { captures: [] };
const event = { eventId: 'e', type: 't', at: '', status: 's' };

describe('isOpen', () => {
  it('is true for a sale until its terminal has an outcome', () => {
    expect(saleStatuses.filter((status) => open('sale', { ...sale, status }))).toEqual([
      'created',
      'awaiting_card',
      'unconfirmed',
    ]);
  });

  it('is true for a paid sale only while its card has to be stored', () => {
    const tokenization = { status: 'pending' };

    expect(saleStatuses.filter((status) => open('sale', { status, tokenization }))).toEqual([
      'created',
      'awaiting_card',
      'unconfirmed',
      'paid',
      'tokenized',
    ]);
  });

  it('is true for a charge until it has an outcome, and for a hold', () => {
    expect(chargeStatuses.filter((status) => open('charge', { ...charge, status }))).toEqual([
      'created',
      'requires_authentication',
      'processing',
      'authorized',
    ]);
  });

  it.each(chargeStatuses)('is true for a charge that is %s and has a capture to make', (status) => {
    expect(open('charge', { status, captures: [{ status: 'refused' }, { status: 'pending' }] })).toBe(true);
  });

  it('is true for an RF order until nothing more is expected', () => {
    expect(rfOrderStatuses.filter((status) => open('rf-order', { status }))).toEqual([
      'creating',
      'pending',
      'partially_paid',
    ]);
  });

  it.each<[Kind, object]>([
    ['sale', { ...sale, status: 'needs_review' }],
    ['charge', { ...charge, status: 'needs_review' }],
    ['rf-order', { status: 'needs_review' }],
  ])('is true for a review of a %s while the platform is still read about it', (kind, item) => {
    expect(open(kind, item)).toBe(false);
    expect(open(kind, { ...item, reconciledUntil: IN_FIVE_MINUTES })).toBe(true);
  });

  it.each<[Kind, object]>([
    ['sale', { ...sale, status: 'declined' }],
    ['charge', { ...charge, status: 'failed' }],
    ['rf-order', { status: 'paid' }],
  ])('is true for a %s that ended until its event is published', (kind, item) => {
    expect(open(kind, item)).toBe(false);
    expect(open(kind, { ...item, outbox: [event] })).toBe(true);
  });

  it.each<[Kind, object, object]>([
    ['card', { status: 'pending' }, { status: 'active' }],
    ['card', { status: 'pending' }, { status: 'refused' }],
    ['card', { status: 'pending' }, { status: 'deleted' }],
    ['inbox', { webhooks: [{ state: 'acted' }, { state: 'new' }] }, { webhooks: [{ state: 'acted' }] }],
    ['inbox', { webhooks: [{ state: 'new' }] }, { webhooks: [{ state: 'parked' }, { state: 'needs_review' }] }],
    ['delivery', { state: 'pending' }, { state: 'delivered' }],
    ['delivery', { state: 'pending' }, { state: 'dead' }],
  ])('is true for a %s that is %j, and false when it is %j', (kind, still, over) => {
    expect(open(kind, still)).toBe(true);
    expect(open(kind, over)).toBe(false);
  });

  it('is true for every account, because its daily lists are read', () => {
    expect(open('account', {})).toBe(true);
  });

  it.each<Kind>(['terminal-lease', 'order-pointer'])('is false for a %s', (kind) => {
    expect(open(kind, { leasedUntil: IN_FIVE_MINUTES })).toBe(false);
  });

  it.each<Kind>(['sale', 'charge', 'rf-order', 'card'])(
    'is false for a refusal that is stored in place of a %s',
    (kind) => {
      expect(open(kind, { merchantId: 'm', refusedWith: 422, origin: {} })).toBe(false);
    },
  );
});

describe('the due time of an item', () => {
  const dueAt = (item: object) => dueAtOf('card', item as Items['card'], NOW);

  it('is five minutes from now when an open item has none', () => {
    expect(dueAt({ status: 'pending' })).toBe(IN_FIVE_MINUTES);
  });

  it.each(['2026-11-21T09:00:00.000Z', '2026-11-21T10:04:59.999Z', '2026-12-24T10:00:00.000Z'])(
    'stays %s when it was set',
    (own) => {
      expect(dueAt({ status: 'pending', dueAt: own })).toBe(own);
      expect(dueAt({ status: 'active', dueAt: own })).toBe(own);
    },
  );

  it('is removed when the item is over', () => {
    expect(dueAt({ status: 'active' })).toBeUndefined();
  });
});
