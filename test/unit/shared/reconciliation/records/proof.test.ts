import { describe, expect, it } from 'vitest';
import {
  type ExpectedPayment,
  paymentTypes,
  provePayment,
} from '../../../../../shared/reconciliation/records/proof.ts';
import { Records } from '../../../../fakes/records.ts';
import { TRANSACTION_ID } from '../../../../fakes/viva.ts';
import { MERCHANT_ID, SALE_ID } from '../../../../fakes/world.ts';

const asked: ExpectedPayment = {
  merchantId: MERCHANT_ID,
  id: SALE_ID,
  amount: 1500,
  currency: 'EUR',
  types: paymentTypes.sale,
};
const records = () => new Records(() => 0);

describe('what one record proves', () => {
  it.each([
    ['F', 'payment'],
    ['C', 'payment'],
    ['R', 'payment'],
    ['X', 'payment'],
    ['M', 'payment'],
    ['MA', 'payment'],
    ['MI', 'payment'],
    ['ML', 'payment'],
    ['MW', 'payment'],
    ['MS', 'payment'],
    ['A', 'progress'],
    ['E', 'refusal'],
    ['', 'progress'],
    ['FF', 'progress'],
    ['Z', 'progress'],
  ])('with status %s is %s', (statusId, of) => {
    const { all, book } = bound();
    book({ statusId });

    expect(provePayment(asked, all)).toMatchObject({ of });
  });

  it.each([
    ['a reversal of it', { parentId: 'other', transactionTypeId: 7 }],
    ['a refund of it', { parentId: 'other', transactionTypeId: 4 }],
    ['a capture', { parentId: 'other', transactionTypeId: 0 }],
    ['a charge made from an earlier one', { parentId: 'other' }],
    ['a payment of another reference', { merchantTrns: 'room 12' }],
    ['a payment with the id in another place', { merchantTrns: `${SALE_ID} and more` }],
    ['a payment without a reference', { merchantTrns: '' }],
  ])('is no payment when it is %s', (_, extra) => {
    const { all, book } = bound();
    book(extra);

    expect(provePayment(asked, all)).toEqual({ of: 'nothing' });
  });

  it.each([
    ['another amount', { amount: 1501 }, 'AMOUNT_MISMATCH'],
    ['another currency', { currency: 'GBP' }, 'AMOUNT_MISMATCH'],
    ['another merchant', { merchantId: '00000000-0000-4000-8000-000000000000' }, 'MERCHANT_MISMATCH'],
    ['another type', { transactionTypeId: 69 }, 'TRANSACTION_MISMATCH'],
    ['the type of a bank transfer', { transactionTypeId: 15 }, 'TRANSACTION_MISMATCH'],
  ])('needs review, and is never taken as absence, with %s', (_, extra, code) => {
    const { all, book } = bound();
    book(extra);

    expect(provePayment(asked, all)).toMatchObject({ of: 'mismatch', code });
  });

  it.each(['merchantId', 'transactionTypeId'] as const)('is nothing when the answer has no %s', (name) => {
    const { all, book } = bound();
    book();
    const { [name]: _, ...rest } = all[0]!;

    expect(provePayment(asked, [rest])).toMatchObject({ of: 'mismatch' });
  });

  it.each([
    ['is a child', { parentId: 'other' }],
    ['carries another reference', { merchantTrns: 'another' }],
  ])('needs review when it was named for the payment and %s', (_, extra) => {
    const { all, book } = bound();
    book(extra);

    expect(provePayment({ ...asked, transactionId: TRANSACTION_ID }, all)).toMatchObject({
      of: 'mismatch',
      code: 'TRANSACTION_MISMATCH',
    });
  });
});

describe('what several records prove together', () => {
  it.each([true, false])('is a payment when a PIN entry succeeded after a failed tap (failed first: %s)', (first) => {
    const { all, book } = bound();
    book({ transactionId: 'tap', statusId: 'E' });
    book();

    expect(provePayment(asked, first ? all : all.toReversed())).toMatchObject({
      of: 'payment',
      record: { transactionId: TRANSACTION_ID },
      also: [],
    });
  });

  it.each([true, false])('is pending when one may still be paid and another failed (failed first: %s)', (first) => {
    const { all, book } = bound();
    book({ transactionId: 'tap', statusId: 'E' });
    book({ statusId: 'A' });

    expect(provePayment(asked, first ? all : all.toReversed())).toMatchObject({
      of: 'progress',
      record: { transactionId: TRANSACTION_ID },
    });
  });

  it('is the matching original when another one does not match', () => {
    const { all, book } = bound();
    book({ transactionId: 'stray', transactionTypeId: 7 });
    book();

    expect(provePayment(asked, all)).toMatchObject({ of: 'payment', record: { transactionId: TRANSACTION_ID } });
  });

  it('names a second payment of the same reference', () => {
    const { all, book } = bound();
    book();
    book({ transactionId: 'second' });

    expect(provePayment(asked, all)).toMatchObject({ of: 'payment', also: [{ transactionId: 'second' }] });
  });

  it.each([
    ['the platform reversed it', 7, 1500, { amount: 1500, by: 'platform', isHidden: false }],
    ['it was refunded elsewhere', 4, 1500, { amount: 1500, by: 'refund', isHidden: false }],
    ['a wallet payment was refunded', 11, 1500, { amount: 1500, by: 'refund', isHidden: false }],
    ['an instalment was refunded', 18, 400, { amount: 400, by: 'refund', isHidden: false }],
    ['a part was refunded', 4, 500, { amount: 500, by: 'refund', isHidden: false }],
    ['the refund has a minus sign', 4, -500, { amount: 500, by: 'refund', isHidden: false }],
    ['more was returned than was taken', 4, 9000, { amount: 1500, by: 'refund', isHidden: false }],
  ])('counts the sum of the children as refunded: %s', (_, transactionTypeId, amount, returned) => {
    const world = records();
    world.giveBack(world.book(), { transactionTypeId, amount });

    expect(provePayment(asked, world.all)).toMatchObject({ of: 'payment', returned });
  });

  it('adds several refunds', () => {
    const world = records();
    world.giveBack(world.book(), { transactionTypeId: 4, amount: 500 });
    world.book({ parentId: TRANSACTION_ID, transactionId: 'another', transactionTypeId: 4, amount: 600 });

    expect(provePayment(asked, world.all)).toMatchObject({ returned: { amount: 1100, by: 'refund' } });
  });

  it.each(['E', 'A'])('counts nothing for a refund with status %s', (statusId) => {
    const world = records();
    world.giveBack(world.book(), { transactionTypeId: 4, statusId });

    expect(provePayment(asked, world.all)).toMatchObject({ returned: { amount: 0, by: 'nobody', isHidden: true } });
  });

  it.each(['X', 'R', 'ML'])('does not count 0 for status %s without a listed child', (statusId) => {
    const { all, book } = bound();
    book({ statusId });

    expect(provePayment(asked, all)).toMatchObject({ returned: { amount: 0, isHidden: true } });
  });

  it('counts a capture as taken, and its refund as a refund of the hold', () => {
    const world = records();
    const hold = world.book({ transactionTypeId: 1, statusId: 'C' });
    const capture = { transactionId: 'capture', parentId: hold.transactionId, transactionTypeId: 0, amount: 1000 };
    world.giveBack(world.book(capture), { transactionTypeId: 4, amount: 300 });

    expect(provePayment({ ...asked, types: paymentTypes.charge }, world.all)).toMatchObject({
      of: 'payment',
      captures: [{ transactionId: 'capture' }],
      returned: { amount: 300, by: 'refund', isHidden: false },
    });
  });

  it('counts a voided capture as refunded, and does not release the hold', () => {
    const world = records();
    const hold = world.book({ transactionTypeId: 1, statusId: 'C' });
    const capture = { transactionId: 'capture', parentId: hold.transactionId, transactionTypeId: 0, amount: 1000 };
    const voided = world.giveBack(world.book(capture));
    const proven = (all = world.all) => provePayment({ ...asked, types: paymentTypes.charge }, all);

    expect(proven()).toMatchObject({ returned: { amount: 1000, by: 'platform', isHidden: false } });
    expect(proven(world.all.filter((one) => one !== voided))).toMatchObject({
      returned: { amount: 0, isHidden: true },
    });
  });

  it('limits what was refunded of a hold to its captures, and then expects no more children', () => {
    const world = records();
    const hold = world.book({ transactionTypeId: 1, statusId: 'C' });
    const capture = { transactionId: 'capture', parentId: hold.transactionId, transactionTypeId: 0, amount: 1000 };
    world.giveBack(world.book(capture), { transactionTypeId: 4, amount: 1200 });

    expect(provePayment({ ...asked, types: paymentTypes.charge }, world.all)).toMatchObject({
      returned: { amount: 1000, mayBeMore: false },
    });
  });

  it.each([
    ['a part was refunded', 4, 400, true],
    ['all of it was refunded', 4, 1500, false],
  ])('expects more children while only a part is listed: %s', (_, transactionTypeId, amount, mayBeMore) => {
    const world = records();
    world.giveBack(world.book(), { transactionTypeId, amount });

    expect(provePayment(asked, world.all)).toMatchObject({ returned: { mayBeMore } });
  });

  it('expects no children when no status reports a refund', () => {
    const { all, book } = bound();
    book();

    expect(provePayment(asked, all)).toMatchObject({ returned: { by: 'nobody', mayBeMore: false } });
  });

  it('does not count a capture of something that is not a hold', () => {
    const world = records();
    world.book();
    world.book({ transactionId: 'capture', parentId: TRANSACTION_ID, transactionTypeId: 0, amount: 1000 });

    expect(provePayment(asked, world.all)).toMatchObject({ of: 'payment', captures: [], returned: { amount: 0 } });
  });

  it('counts a record of two lists once', () => {
    const world = records();
    world.giveBack(world.book(), { transactionTypeId: 4, amount: 500 });

    expect(provePayment(asked, [...world.all, ...world.all])).toMatchObject({ also: [], returned: { amount: 500 } });
  });
});

function bound() {
  const world = records();
  return { all: world.all, book: world.book.bind(world) };
}
