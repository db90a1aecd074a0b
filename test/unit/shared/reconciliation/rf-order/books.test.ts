/** What a single reading of an order counts, and what it only records. See reconcile.test.ts for what the order becomes. */
import { describe, expect, it } from 'vitest';
import type { RfOrder, RfPayment } from '../../../../../shared/payments/items/rf-order.ts';
import { booked, type RfEvidence } from '../../../../../shared/reconciliation/rf-order/books.ts';
import { otherCodesIn, otherCodesOf } from '../../../../../shared/reconciliation/rf-order/other-orders.ts';
import type { OrderRecord, TransactionRecord } from '../../../../../shared/viva/viva.ts';
import { merchantId } from '../../../../fakes/storefront.ts';
import { ORDER_CODE } from '../../../../fakes/viva.ts';

const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-21T09:00:00.000Z');
const EXPIRES = START + 5 * 24 * 60 * MINUTE_MS;
const OTHER_CODE = '9948100551072603';

const order = {
  rfOrderId: '7e6c1f8e-5b0f-8c57-9a53-0a1b6f2f7f30',
  merchantId,
  amount: 4200,
  currency: 'EUR',
  disableExactAmount: true,
  orderCode: ORDER_CODE,
  rfCode: 'RF94',
  status: 'pending',
  expiresAt: new Date(EXPIRES).toISOString(),
  payments: [],
} as unknown as RfOrder;

const transfer: TransactionRecord = {
  transactionId: 'TX-1',
  merchantId,
  amount: 4200,
  currency: 'EUR',
  statusId: 'F',
  transactionTypeId: 15,
  orderCode: ORDER_CODE,
  bookedAt: '2026-11-21T09:00:00.000Z',
};
const back: TransactionRecord = {
  ...transfer,
  transactionId: 'back-1',
  parentId: 'TX-1',
  transactionTypeId: 4,
  amount: 1000,
};
const payment: RfPayment = { transactionId: 'TX-1', amount: 4200, at: '2026-11-21T09:00:00.000Z' };

interface Read {
  readonly minute: number;
  readonly records?: readonly TransactionRecord[];
  readonly state?: OrderRecord['state'];
  readonly amount?: number;
  readonly isWhole?: boolean;
}

/** Returns the books after these readings, applied one after the other. */
function booksAfter(before: Partial<RfOrder>, ...reads: readonly Read[]) {
  let books: ReturnType<typeof booked> = { payments: before.payments ?? [], readings: before.readings ?? {} };
  for (const { minute, records = [], state, amount = 4200, isWhole = true } of reads) {
    const evidence: RfEvidence = { records, isWhole, ...(state && { order: { state, amount } }) };
    const { payments, readings } = books;
    books = booked({ ...order, ...before, payments, readings }, evidence, START + minute * MINUTE_MS);
  }
  return books;
}

describe('a transfer', () => {
  it('is recorded at the first reading and counts at a second one four minutes later', () => {
    const records = [transfer];

    expect(booksAfter({}, { minute: 0, records })).toMatchObject({
      payments: [],
      readings: { 'tx-1': { seen: 'amount 4200' } },
    });
    expect(booksAfter({}, { minute: 0, records }, { minute: 3, records }).payments).toEqual([]);
    expect(booksAfter({}, { minute: 0, records }, { minute: 4, records })).toEqual({
      payments: [payment],
      readings: {},
    });
  });

  it('is forgotten when the second reading shows it as failed', () => {
    const failed = [{ ...transfer, statusId: 'E' }];

    expect(booksAfter({}, { minute: 0, records: [transfer] }, { minute: 4, records: failed })).toEqual({
      payments: [],
      readings: {},
    });
  });

  it('is no longer recorded as a reading once its record agrees with the books again', () => {
    const known = { status: 'paid', payments: [payment] } as const;
    const other = [{ ...transfer, amount: 4300 }];

    const doubted = booksAfter(known, { minute: 0, records: other });
    expect(doubted).toMatchObject({ payments: [payment], readings: { 'tx-1': { seen: 'amount 4300' } } });
    expect(booksAfter(known, { minute: 0, records: other }, { minute: 4, records: [transfer] })).toEqual({
      payments: [payment],
      readings: {},
    });
  });

  it('is corrected by two readings of another amount', () => {
    const records = [{ ...transfer, amount: 4300 }];

    expect(booksAfter({ status: 'paid', payments: [payment] }, { minute: 0, records }, { minute: 4, records })).toEqual(
      {
        payments: [{ ...payment, amount: 4300 }],
        readings: {},
      },
    );
  });

  it('is marked when it belongs to the platform’s other order, and not otherwise', () => {
    const records = [{ ...transfer, orderCode: OTHER_CODE, merchantTrns: `room 12 ${order.rfOrderId}` }];
    const [paid] = booksAfter({}, { minute: 0, records }, { minute: 4, records }).payments;

    expect(paid).toEqual({ ...payment, orderCode: OTHER_CODE });
  });

  it('has the time of the reading when the platform names none', () => {
    const { bookedAt: _, ...undated } = transfer;
    const [paid] = booksAfter({}, { minute: 0, records: [undated] }, { minute: 4, records: [undated] }).payments;

    expect(paid?.at).toBe('2026-11-21T09:04:00.000Z');
  });

  it.each<[string, Partial<RfOrder>, Partial<TransactionRecord>, Partial<Read>, number]>([
    ['the order is read as paid, and the amount is exactly that of the order', {}, {}, {}, 1],
    ['the order may be paid in any amount', { disableExactAmount: true }, {}, {}, 0],
    ['it belongs to another order', {}, { orderCode: OTHER_CODE, merchantTrns: order.rfOrderId }, {}, 0],
    ['the order is not read as paid', {}, {}, { state: 'pending' }, 0],
    ['it reports a refund', {}, { statusId: 'R' }, {}, 0],
    ['another transfer counted before', { payments: [{ ...payment, transactionId: 'before' }] }, {}, {}, 1],
  ])('counts at the first reading only when two records confirm it: %s', (_, change, record, read, count) => {
    const exact = { disableExactAmount: false, ...change };
    const { payments } = booksAfter(exact, {
      minute: 0,
      state: 'paid',
      records: [{ ...transfer, ...record }],
      ...read,
    });

    expect(payments).toHaveLength(count);
  });
});

describe('a returned transfer', () => {
  const known = { status: 'paid', payments: [payment] } as const;
  const records = [{ ...transfer, statusId: 'R' }, back];

  it('is recorded at the first reading and counts at a second one', () => {
    expect(booksAfter(known, { minute: 0, records })).toMatchObject({
      payments: [payment],
      readings: { 'back-1': { seen: 'returned 1000' } },
    });
    expect(booksAfter(known, { minute: 0, records }, { minute: 4, records })).toEqual({
      payments: [{ ...payment, returned: 1000, returns: [{ transactionId: 'back-1', amount: 1000 }] }],
      readings: {},
    });
  });

  it('is no longer recorded as a reading once its record agrees with the books again', () => {
    const counted = { transactionId: 'back-1', amount: 1000 };
    const given = { status: 'paid', payments: [{ ...payment, returned: 1000, returns: [counted] }] } as const;
    const other = [records[0]!, { ...back, amount: 900 }];

    expect(booksAfter(given, { minute: 0, records: other }).readings).toMatchObject({
      'back-1': { seen: 'returned 900' },
    });
    expect(booksAfter(given, { minute: 0, records: other }, { minute: 4, records })).toEqual({
      payments: given.payments,
      readings: {},
    });
  });

  it('leaves nothing of a payment that was returned in full', () => {
    const whole = [
      { ...transfer, statusId: 'R' },
      { ...back, amount: -4200 },
    ];
    const [paid] = booksAfter(known, { minute: 0, records: whole }, { minute: 4, records: whole }).payments;

    expect(paid).toMatchObject({ returned: 4200, reversed: true });
  });

  it('is never more than the payment', () => {
    const whole = [
      { ...transfer, statusId: 'R' },
      { ...back, amount: 9000 },
    ];
    const [paid] = booksAfter(known, { minute: 0, records: whole }, { minute: 4, records: whole }).payments;

    expect(paid).toMatchObject({ returned: 4200, reversed: true });
  });

  it.each([
    ['of another merchant', { merchantId: '1b9e7f60-3c2d-4e5f-8a6b-7c8d9e0f1a2b' }, 'MERCHANT_MISMATCH'],
    ['in another currency', { currency: 'RON' }, 'AMOUNT_MISMATCH'],
  ])('%s does not count, and is a doubt when it is read twice', (_, change, doubt) => {
    const strange = [records[0]!, { ...back, ...change }];
    const { payments, readings } = booksAfter(known, { minute: 0, records: strange }, { minute: 4, records: strange });

    expect(payments).toEqual([payment]);
    expect(readings['back-1']).toMatchObject({ doubt });
  });

  it('is recorded while only a status reports it, and forgotten once its record is listed', () => {
    const hidden = [{ ...transfer, statusId: 'R' }];
    const noted = booksAfter(known, { minute: 0, records: hidden });

    expect(noted.readings).toHaveProperty(['tx-1 return']);
    expect(booksAfter(known, { minute: 0, records: hidden }, { minute: 4, records }).readings).not.toHaveProperty([
      'tx-1 return',
    ]);
    expect(booksAfter(known, { minute: 0, records: hidden }, { minute: 60, records: hidden }).readings).toMatchObject({
      'tx-1 return': { doubt: 'REFUND_UNREADABLE' },
    });
  });
});

describe('the commission', () => {
  const known = { status: 'paid', payments: [payment] } as const;
  const records = [{ ...transfer, commission: 63 }];

  it('is recorded at the first reading, counts at a second one, and is then no longer recorded as a reading', () => {
    expect(booksAfter(known, { minute: 0, records })).toMatchObject({
      payments: [payment],
      readings: { 'tx-1 commission': { seen: '63' } },
    });
    expect(booksAfter(known, { minute: 0, records }, { minute: 4, records })).toEqual({
      payments: [{ ...payment, commission: 63 }],
      readings: {},
    });
  });

  it.each([0, -1, 4201])('of %i does not count', (commission) => {
    const none = [{ ...transfer, commission }];

    expect(booksAfter(known, { minute: 0, records: none }, { minute: 4, records: none })).toEqual({
      payments: [payment],
      readings: {},
    });
  });

  it('may be as large as the payment', () => {
    const all = [{ ...transfer, commission: 4200 }];
    const [paid] = booksAfter(known, { minute: 0, records: all }, { minute: 4, records: all }).payments;

    expect(paid?.commission).toBe(4200);
  });
});

describe('the end of an unpaid order', () => {
  const over = EXPIRES / MINUTE_MS - START / MINUTE_MS + 2;

  it.each<[string, Partial<RfOrder>, Read[], string | undefined]>([
    [
      'cancelled, read twice',
      {},
      [
        { minute: 0, state: 'cancelled' },
        { minute: 4, state: 'cancelled' },
      ],
      'cancelled',
    ],
    ['cancelled, read once', {}, [{ minute: 0, state: 'cancelled' }], undefined],
    ['cancelled, as requested', { cancelRequestedAt: 'x' }, [{ minute: 0, state: 'cancelled' }], 'cancelled'],
    ['expired, and past its time', {}, [{ minute: over, state: 'expired' }], 'expired'],
    ['expired before its time', {}, [{ minute: 0, state: 'expired' }], undefined],
    [
      'expired before its time, twice',
      {},
      [
        { minute: 0, state: 'expired' },
        { minute: 4, state: 'expired' },
      ],
      'expired',
    ],
    ['past its time, although read as open', {}, [{ minute: over, state: 'pending' }], undefined],
    [
      'past its time, twice',
      {},
      [
        { minute: over, state: 'pending' },
        { minute: over + 4, state: 'pending' },
      ],
      'expired',
    ],
    ['past its time, partly read', {}, [{ minute: over, state: 'expired', isWhole: false }], undefined],
    ['past its time, with the order itself not read', {}, [{ minute: over }, { minute: over + 4 }], undefined],
    ['paid before', { status: 'paid' }, [{ minute: over, state: 'expired' }], undefined],
    [
      'under review, and open before',
      { status: 'needs_review', statusBeforeReview: 'pending' },
      [{ minute: over, state: 'expired' }],
      'expired',
    ],
  ])('follows from what was read: %s', (_, change, reads, end) => {
    expect(booksAfter(change, ...reads).end).toBe(end);
  });

  it('leaves no reading open', () => {
    expect(booksAfter({}, { minute: 0, state: 'cancelled' }).readings).toHaveProperty(['order state']);
    expect(booksAfter({}, { minute: 0, state: 'cancelled' }, { minute: 4, state: 'cancelled' }).readings).toEqual({});
    expect(booksAfter({}, { minute: 0, state: 'cancelled' }, { minute: 4, state: 'pending' }).readings).toEqual({});
  });

  it('is no longer recorded once the order is paid', () => {
    const noted = booksAfter({}, { minute: 0, state: 'cancelled', amount: 4300 });
    expect(Object.keys(noted.readings).toSorted()).toEqual(['order amount', 'order state']);
    const { readings } = noted;

    expect(booksAfter({ status: 'paid', payments: [payment], readings }, { minute: 4 }).readings).toEqual({});
  });

  it('is a doubt when the order is read as paid for an hour without a listed payment', () => {
    const reads = (minute: number) => [
      { minute: 0, state: 'paid' as const },
      { minute, state: 'paid' as const },
    ];

    expect(booksAfter({}, ...reads(59)).readings['order state']).not.toHaveProperty('doubt');
    expect(booksAfter({}, ...reads(60)).readings['order state']).toMatchObject({ doubt: 'RF_PAYMENT_NOT_FOUND' });
  });

  it('is a doubt while two readings show another amount than the order’s', () => {
    const wrong = (minute: number) => ({ minute, state: 'pending' as const, amount: 4300 });

    expect(booksAfter({}, wrong(0)).readings['order amount']).not.toHaveProperty('doubt');
    expect(booksAfter({}, wrong(0), wrong(4)).readings['order amount']).toMatchObject({ doubt: 'AMOUNT_MISMATCH' });
    expect(booksAfter({}, wrong(0), wrong(4), { minute: 8, state: 'pending' }).readings).toEqual({});
  });
});

describe('a transfer that was read once and is no longer listed', () => {
  it('is dropped when it did not match the order, and is missing when it did', () => {
    const strange = { ...transfer, transactionId: 'strange', currency: 'RON' };
    const records = [transfer, strange];
    const gone = (minute: number, isWhole = true) =>
      booksAfter({}, { minute: 0, records }, { minute, isWhole }).readings;

    expect(Object.keys(gone(59))).toEqual(['tx-1']);
    expect(gone(59)['tx-1']).not.toHaveProperty('doubt');
    expect(gone(60)['tx-1']).toMatchObject({ doubt: 'RF_PAYMENT_NOT_FOUND' });
    expect(Object.keys(gone(60, false))).toEqual(['tx-1', 'strange']);
    expect(gone(60, false)['tx-1']).not.toHaveProperty('doubt');
  });

  it('stays a doubt when it was one', () => {
    const records = [{ ...transfer, currency: 'RON' }];
    const { readings } = booksAfter({}, { minute: 0, records }, { minute: 4, records }, { minute: 8 });

    expect(readings['tx-1']).toMatchObject({ doubt: 'AMOUNT_MISMATCH' });
  });
});

describe('the platform’s other orders for one order', () => {
  const named = (orderCode: string) => ({ ...transfer, orderCode, merchantTrns: `room 12 ${order.rfOrderId}` });
  const third = '9948100551072605';

  it('are those whose transactions carry its reference', () => {
    expect(otherCodesIn(order, [named(OTHER_CODE), named(ORDER_CODE), named(OTHER_CODE)])).toEqual([OTHER_CODE]);
    expect(otherCodesIn(order, [{ ...named(OTHER_CODE), merchantTrns: 'room 12' }])).toEqual([]);
  });

  it('are all returned when at least one of them is new', () => {
    const known = { ...order, otherCodes: [OTHER_CODE] };

    expect(otherCodesIn(known, [named(OTHER_CODE)])).toEqual([]);
    expect(otherCodesIn(known, [named(OTHER_CODE), named(third)])).toEqual([OTHER_CODE, third]);
  });

  it('include those of its payments, each once', () => {
    const payments = [{ ...payment, orderCode: third }, { ...payment, orderCode: OTHER_CODE }, payment];

    expect(otherCodesOf({ ...order, otherCodes: [OTHER_CODE], payments })).toEqual([OTHER_CODE, third]);
  });
});
