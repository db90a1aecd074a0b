import { beforeEach, describe, expect, it } from 'vitest';
import { rfOrderRepresentation } from '../../../../../shared/api/representation/rf-order.ts';
import { TransientError } from '../../../../../shared/flow/errors.ts';
import type { TransactionRecord } from '../../../../../shared/viva/viva.ts';
import { DAY, HOUR, MINUTE, RfShop } from '../../../../fakes/rf-shop.ts';
import { anyCall, ORDER_CODE } from '../../../../fakes/viva.ts';

let shop: RfShop;
let id: string;

async function ordered(change: object = {}): Promise<void> {
  shop = new RfShop();
  id = (await shop.post(change)).body.rfOrderId;
}

beforeEach(() => ordered());

/** The statuses of the events in the outbox. */
async function withEvent(): Promise<string[]> {
  return ((await shop.order()).outbox ?? []).map(({ status }) => status);
}

/** Reconciles twice, as far apart as two readings must be. */
async function reconciledTwice() {
  await shop.reconcile(id);
  shop.now += 5 * MINUTE;
  return shop.reconcile(id);
}

describe('an exact order', () => {
  it('becomes paid by one transfer at once, and publishes that once however often it is read', async () => {
    shop.pay(4200);

    await Promise.all([shop.reconcile(id), shop.reconcile(id), shop.reconcile(id)]);

    expect(await shop.order()).toMatchObject({
      status: 'paid',
      amountPaid: 4200,
      payments: [{ transactionId: 'transaction-1', amount: 4200, at: '2026-11-21T09:00:00.000Z' }],
      late: false,
      overpaid: false,
    });
    expect(await withEvent()).toEqual(['paid']);
  });

  it('is paid once when it is paid twice, and overpaid after two readings of the second transfer', async () => {
    shop.pay(4200);
    await shop.reconcile(id);
    shop.pay(4200);
    expect(await shop.reconcile(id)).toMatchObject({ amountPaid: 4200, overpaid: false });

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 8400, overpaid: true });
    expect(await withEvent()).toEqual(['paid']);
  });

  it('counts only one transfer when it is read as paid; a second one needs two readings', async () => {
    shop.pay(4200);
    shop.pay(4200);

    expect(await shop.reconcile(id)).toMatchObject({ status: 'paid', amountPaid: 4200 });
    expect(await reconciledTwice()).toMatchObject({ amountPaid: 8400, overpaid: true });
  });

  it('is not paid by the first reading of a transfer while the order itself is not read as paid', async () => {
    shop.pay(4200);
    shop.state = 'unknown';

    expect(await shop.reconcile(id)).toMatchObject({ status: 'pending', amountPaid: 0 });
    shop.now += 5 * MINUTE;
    expect(await shop.reconcile(id)).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('needs review after two readings of another amount', async () => {
    shop.pay(4300);
    expect(await shop.reconcile(id)).toMatchObject({ status: 'pending', payments: [] });
    shop.now += 5 * MINUTE;

    expect(await shop.reconcile(id)).toMatchObject({
      status: 'needs_review',
      failure: { code: 'AMOUNT_MISMATCH' },
      payments: [],
    });
  });

  it('becomes reversed after two readings of the returned transfer', async () => {
    const transfer = shop.pay(4200);
    await shop.reconcile(id);
    shop.giveBack(transfer);
    expect((await shop.reconcile(id)).status).toBe('paid');

    expect(await reconciledTwice()).toMatchObject({
      status: 'reversed',
      amountPaid: 0,
      payments: [{ amount: 4200, returned: 4200, reversed: true }],
    });
  });

  it('has no open reading once it is paid or reversed', async () => {
    const transfer = shop.pay(4200);
    expect((await shop.reconcile(id)).readings).toBeUndefined();
    shop.giveBack(transfer);
    expect((await shop.reconcile(id)).readings).toHaveProperty('return-1');

    expect((await reconciledTwice()).readings).toBeUndefined();
  });

  it('stays paid and is no longer overpaid when an overpayment is returned', async () => {
    shop.pay(4200);
    shop.giveBack(shop.pay(4200));

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4200, overpaid: false });
  });

  it('needs review when it is paid again after a return', async () => {
    shop.giveBack(shop.pay(4200));
    await reconciledTwice();
    expect((await shop.order()).status).toBe('reversed');
    shop.pay(4200);

    const order = await reconciledTwice();

    expect(order).toMatchObject({
      status: 'needs_review',
      failure: { code: 'RF_PAID_AFTER_RETURN' },
      amountPaid: 4200,
    });
    expect(rfOrderRepresentation(order).final).toBe(true);
    expect((await reconciledTwice()).failure).toEqual({ code: 'RF_PAID_AFTER_RETURN' });
  });
});

describe('an order of any amount', () => {
  beforeEach(() => ordered({ disableExactAmount: true }));

  it('is pending until its payment was read a second time, minutes later', async () => {
    shop.pay(4200);

    expect(await shop.reconcile(id)).toMatchObject({ status: 'pending', amountPaid: 0, payments: [] });
    shop.now += 3 * MINUTE;
    expect((await shop.reconcile(id)).status).toBe('pending');
    expect((await shop.order()).dueAt).toBe('2026-11-21T09:04:00.000Z');
    await shop.pass(5 * MINUTE);

    expect(await shop.order()).toMatchObject({ status: 'paid', amountPaid: 4200 });
    expect((await shop.order()).readings).toBeUndefined();
  });

  it('shows in its timeline that a payment was seen, and nothing in its amounts yet', async () => {
    const before = (await shop.order()).revision;
    shop.pay(1000);
    const { timeline, revision } = await shop.reconcile(id);

    expect(timeline.at(-1)).toMatchObject({
      event: 'rf_order.transaction_seen',
      detail: { transactionId: 'transaction-1', seen: 'amount 1000' },
    });
    expect(revision).toBe(before + 1);
    expect((await shop.reconcile(id)).revision).toBe(revision);
  });

  it('is partially paid until enough has arrived', async () => {
    shop.pay(1000);
    const part = await reconciledTwice();
    shop.pay(3300);
    const whole = await reconciledTwice();

    expect(part).toMatchObject({ status: 'partially_paid', amountPaid: 1000 });
    expect(whole).toMatchObject({ status: 'paid', amountPaid: 4300, overpaid: true });
    expect(await withEvent()).toEqual(['paid']);
  });

  it('is not paid when one cent is missing', async () => {
    shop.pay(4199);

    expect((await reconciledTwice()).status).toBe('partially_paid');
  });

  it('counts each of several payments on its own, whatever arrives between', async () => {
    shop.pay(1000);
    await shop.reconcile(id);
    shop.now += 3 * MINUTE;
    shop.pay(2000);
    await shop.reconcile(id);
    shop.now += 2 * MINUTE;

    expect(await shop.reconcile(id)).toMatchObject({ status: 'partially_paid', amountPaid: 1000 });
    shop.now += 3 * MINUTE;
    expect(await shop.reconcile(id)).toMatchObject({ status: 'partially_paid', amountPaid: 3000 });
  });

  it('becomes reversed when a part of its payment is returned', async () => {
    const part = shop.pay(2000);
    shop.pay(2200);
    await reconciledTwice();
    shop.giveBack(part);

    expect(await reconciledTwice()).toMatchObject({ status: 'reversed', amountPaid: 2200 });
  });

  it('counts each part of a return once, however it is listed', async () => {
    const transfer = shop.pay(4300);
    await reconciledTwice();
    shop.giveBack(transfer, 60);
    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4240, payments: [{ returned: 60 }] });
    const first = shop.records;
    shop.giveBack(transfer, 40);
    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4200, payments: [{ returned: 100 }] });
    shop.records = first;
    expect(await reconciledTwice()).toMatchObject({ amountPaid: 4200, payments: [{ returned: 100 }] });
    shop.giveBack(transfer, 1);

    const { timeline, ...order } = await reconciledTwice();
    expect(order).toMatchObject({ status: 'reversed', amountPaid: 4199, payments: [{ returned: 101 }] });
    const returns = timeline.filter(({ event }) => event === 'rf_order.payment_returned');
    expect(returns.map(({ detail }) => detail?.['amount'])).toEqual([60, 40, 1]);
  });

  it('stays partially paid when a part of a partial payment is returned', async () => {
    shop.giveBack(shop.pay(2000), 500);

    expect(await reconciledTwice()).toMatchObject({ status: 'partially_paid', amountPaid: 1500 });
  });

  it('is not reversed while the platform only reports that something was returned', async () => {
    const transfer = shop.pay(4200);
    await reconciledTwice();
    shop.records = [{ ...transfer, statusId: 'R' }];

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4200 });
    await shop.pass(2 * HOUR);
    expect(await shop.order()).toMatchObject({ status: 'needs_review', failure: { code: 'REFUND_UNREADABLE' } });
    shop.giveBack(transfer);
    await shop.pass(2 * HOUR);

    expect(await shop.order()).toMatchObject({ status: 'reversed', amountPaid: 0 });
  });

  it('stays paid when its payment is disputed', async () => {
    shop.pay(4200, { statusId: 'MA' });

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('needs review, and is final, when it stays underpaid', async () => {
    shop.pay(1000);
    const expiresAt = Date.parse((await shop.order()).expiresAt!);

    await shop.pass(expiresAt + 3 * DAY - HOUR - shop.now);
    expect((await shop.order()).status).toBe('partially_paid');
    await shop.pass(DAY);

    const order = await shop.order();
    expect(order).toMatchObject({ status: 'needs_review', failure: { code: 'RF_UNDERPAID' } });
    expect(order.timeline.at(-1)).toMatchObject({ event: 'rf_order.needs_review', detail: { code: 'RF_UNDERPAID' } });
    expect(rfOrderRepresentation(order).final).toBe(true);
  });
});

describe('contradicting readings of an order', () => {
  beforeEach(() => ordered({ disableExactAmount: true }));

  /** From now on each reading shows another amount of the last record. */
  function differing(others: typeof shop.records, last: ReturnType<typeof shop.pay>) {
    const readings = { count: 0 };
    shop.answers = {
      listOrderTransactions: async () => ({
        records: [...others, { ...last, amount: last.amount + ++readings.count }],
        call: anyCall,
      }),
    };
    return readings;
  }

  it('count for nothing until two agree', async () => {
    const transfer = shop.pay(1000);
    shop.records = [{ ...transfer, amount: 1600 }];
    await shop.reconcile(id);
    shop.records = [transfer];
    shop.now += 5 * MINUTE;
    expect(await shop.reconcile(id)).toMatchObject({ status: 'pending', payments: [] });
    shop.now += 5 * MINUTE;

    expect(await shop.reconcile(id)).toMatchObject({ status: 'partially_paid', amountPaid: 1000 });
  });

  it('cause a review after an hour, which resolves itself once two agree', async () => {
    const transfer = shop.pay(1000);
    differing([], transfer);
    await shop.pass(2 * HOUR);
    const review = await shop.order();
    expect(review).toMatchObject({ status: 'needs_review', failure: { code: 'AMOUNT_MISMATCH' }, payments: [] });
    expect(rfOrderRepresentation(review).final).toBe(false);
    shop.answers = {};

    const agreed = await reconciledTwice();

    expect(agreed).toMatchObject({ status: 'partially_paid', amountPaid: 1000 });
    expect(agreed.failure).toBeUndefined();
    expect(agreed.reconciledUntil).toBeUndefined();
  });

  it('change nothing that is shown while the same doubt stands', async () => {
    shop.pay(4200, { currency: 'RON' });
    const review = await reconciledTwice();
    shop.now += 5 * MINUTE;

    const again = await shop.reconcile(id);

    expect(review.status).toBe('needs_review');
    expect([again.revision, again.reconciledUntil]).toEqual([review.revision, review.reconciledUntil]);
  });

  it('are repeated less and less often, for one day at most, before the review is final', async () => {
    const readings = differing([], shop.pay(1000));

    await shop.pass(23 * HOUR);
    expect(rfOrderRepresentation(await shop.order())).toMatchObject({ status: 'needs_review', final: false });
    expect(readings.count).toBeLessThan(70);
    await shop.pass(3 * HOUR);

    expect(rfOrderRepresentation(await shop.order())).toMatchObject({ status: 'needs_review', final: true });
    expect((await shop.order()).dueAt).toBeDefined();
  });

  it('of a known amount change nothing until two agree on another amount', async () => {
    const transfer = shop.pay(1000);
    await reconciledTwice();
    shop.records = [{ ...transfer, amount: 1600 }];
    expect(await shop.reconcile(id)).toMatchObject({ status: 'partially_paid', amountPaid: 1000 });
    shop.records = [transfer];
    expect((await reconciledTwice()).readings).toBeUndefined();
    shop.records = [{ ...transfer, amount: 1600 }];

    expect(await reconciledTwice()).toMatchObject({ status: 'partially_paid', amountPaid: 1600 });
    expect((await shop.order()).timeline.at(-1)).toMatchObject({ event: 'rf_order.payment_corrected' });
  });

  it('that reduce a payment without a return cause a review', async () => {
    const transfer = shop.pay(4200);
    await reconciledTwice();
    shop.records = [{ ...transfer, amount: 4100 }];

    expect(await reconciledTwice()).toMatchObject({ status: 'needs_review', failure: { code: 'AMOUNT_MISMATCH' } });
  });

  it('do not publish paid a second time when a paid order leaves its review', async () => {
    const first = shop.pay(4200);
    await reconciledTwice();
    differing([first], shop.pay(100));
    await shop.reconcile(id);
    shop.now += HOUR;
    expect((await shop.reconcile(id)).status).toBe('needs_review');
    shop.answers = {};

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4300 });
    expect(await withEvent()).toEqual(['paid', 'needs_review']);
  });

  it('cause a review when a payment is no longer listed', async () => {
    shop.pay(1000);
    await shop.reconcile(id);
    shop.records = [];
    shop.state = 'pending';

    await shop.pass(2 * HOUR);

    expect(await shop.order()).toMatchObject({ status: 'needs_review', failure: { code: 'RF_PAYMENT_NOT_FOUND' } });
  });
});

describe('a record that does not belong to the order', () => {
  it.each([
    ['another merchant', { merchantId: '1b9e7f60-3c2d-4e5f-8a6b-7c8d9e0f1a2b' }, 'MERCHANT_MISMATCH'],
    ['no merchant', { merchantId: undefined }, 'MERCHANT_MISMATCH'],
    ['another order code', { orderCode: '9948100551072603' }, 'TRANSACTION_MISMATCH'],
    ['a card payment', { transactionTypeId: 5 }, 'TRANSACTION_MISMATCH'],
    ['another currency', { currency: 'RON' }, 'AMOUNT_MISMATCH'],
  ])('does not count, and causes a review when it is read twice: %s', async (_, change, code) => {
    shop.pay(4200, change as Partial<TransactionRecord>);
    expect((await shop.reconcile(id)).status).toBe('pending');
    shop.now += 5 * MINUTE;

    expect(await shop.reconcile(id)).toMatchObject({ status: 'needs_review', failure: { code }, payments: [] });
  });

  it('is forgotten when it is no longer listed', async () => {
    const back = shop.giveBack(shop.pay(4200, { orderCode: '9948100551072603' }));
    await shop.reconcile(id);
    expect(Object.keys((await shop.order()).readings ?? {})).toContain('transaction-1');
    expect((await shop.order()).readings).not.toHaveProperty(back.transactionId);
    shop.records = [];
    shop.state = 'pending';
    await shop.pass(2 * HOUR);

    expect(await shop.order()).toMatchObject({ status: 'pending' });
    expect((await shop.order()).readings).toBeUndefined();
  });

  it('belongs to the order when it carries the order’s reference', async () => {
    shop.pay(4200, { orderCode: '9948100551072603', merchantTrns: `room 12 ${id}` });

    expect(await reconciledTwice()).toMatchObject({
      status: 'paid',
      payments: [{ orderCode: '9948100551072603' }],
      otherCodes: ['9948100551072603'],
    });
  });

  it.each(['E', 'A'])('is no payment with status %s', async (statusId) => {
    await ordered({ disableExactAmount: true });
    shop.pay(4200, { statusId });
    shop.state = 'pending';

    const order = await reconciledTwice();

    expect(order).toMatchObject({ status: 'pending', payments: [] });
    expect(order.readings).toBeUndefined();
  });

  it('is no payment when it is the child of one', async () => {
    const transfer = shop.pay(4200);
    shop.giveBack(transfer);
    shop.records = shop.records.filter(({ parentId }) => parentId !== undefined);

    expect(await reconciledTwice()).toMatchObject({ status: 'pending', payments: [] });
  });

  it('ends its review once the platform reports a matching record', async () => {
    const wrong = shop.pay(4200, { currency: 'RON' });
    await reconciledTwice();
    shop.records = [{ ...wrong, currency: 'EUR' }];

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('ends its review of a pending order once it is no longer reported', async () => {
    shop.answers = { readOrder: async () => ({ state: 'pending', amount: 4300, call: anyCall }) };
    expect((await reconciledTwice()).status).toBe('needs_review');
    shop.answers = {};

    const order = await shop.reconcile(id);

    expect(rfOrderRepresentation(order)).toMatchObject({ status: 'pending', final: false });
    expect(order.failure).toBeUndefined();
  });
});

describe('an unpaid order', () => {
  it('expires when it is read as expired and no transfer is listed', async () => {
    shop.now += 5 * DAY + 2 * MINUTE;
    shop.state = 'expired';

    expect((await shop.reconcile(id)).status).toBe('expired');
  });

  it('expires at the second reading when only our clock says so', async () => {
    shop.now += 5 * DAY + 2 * MINUTE;

    expect((await shop.reconcile(id)).status).toBe('pending');
    shop.now += 5 * MINUTE;
    expect((await shop.reconcile(id)).status).toBe('expired');
  });

  it('expires at the second reading when it is before its time', async () => {
    shop.state = 'expired';

    expect((await shop.reconcile(id)).status).toBe('pending');
    shop.now += 5 * MINUTE;
    expect((await shop.reconcile(id)).status).toBe('expired');
  });

  it('is cancelled by the second reading, or by the first one when we requested it', async () => {
    shop.state = 'cancelled';
    expect((await shop.reconcile(id)).status).toBe('pending');
    shop.now += 5 * MINUTE;
    expect((await shop.reconcile(id)).status).toBe('cancelled');

    await ordered();
    await shop.payments.change('rf-order', id, () => ({ cancelRequestedAt: '2026-11-21T09:00:00.000Z' }));
    shop.state = 'cancelled';
    expect((await shop.reconcile(id)).status).toBe('cancelled');
  });

  it('needs two new readings of its end after a reading that is no longer listed', async () => {
    shop.state = 'expired';
    expect((await shop.reconcile(id)).readings).toHaveProperty(['order state']);
    shop.pay(4200, { orderCode: '9948100551072603' });
    shop.state = 'expired';
    shop.now += MINUTE;
    expect((await shop.reconcile(id)).readings).not.toHaveProperty(['order state']);
    shop.records = [];
    shop.now += 5 * MINUTE;
    await shop.reconcile(id);

    shop.now += MINUTE;
    expect((await shop.reconcile(id)).status).toBe('pending');
    shop.now += 5 * MINUTE;
    expect((await shop.reconcile(id)).status).toBe('expired');
  });

  it('needs two new readings of its end when it was read as open in between', async () => {
    shop.state = 'expired';
    await shop.reconcile(id);
    shop.state = 'pending';
    shop.now += 5 * MINUTE;

    const order = await shop.reconcile(id);

    expect(order.status).toBe('pending');
    expect(order.readings).toBeUndefined();
  });

  it('does not expire while a transfer was read once', async () => {
    shop.pay(4200);
    shop.now += 5 * DAY + 2 * MINUTE;
    shop.state = 'expired';

    expect((await shop.reconcile(id)).status).toBe('pending');
  });
});

describe('an order without webhooks', () => {
  it('is paid by reading', async () => {
    shop.pay(4200);

    await shop.pass(5 * MINUTE);

    expect((await shop.order()).status).toBe('paid');
  });

  it('is paid by a payment on the fourth day, before the order ends', async () => {
    await shop.pass(3.5 * DAY);
    shop.pay(4200);

    await shop.pass(1.5 * DAY + HOUR);

    expect(await shop.order()).toMatchObject({ status: 'paid', late: false });
  });

  it('expires when it is not paid', async () => {
    await shop.pass(5 * DAY + 10 * MINUTE);

    expect(await shop.order()).toMatchObject({ status: 'expired', amountPaid: 0 });
    expect((await shop.order()).timeline.map(({ event }) => event)).toContain('rf_order.expired');
  });

  it('of one minute expires within minutes', async () => {
    await ordered({ expiresInSeconds: 60 });

    await shop.pass(10 * MINUTE);

    expect((await shop.order()).status).toBe('expired');
  });

  it('records a payment after its expiry as late', async () => {
    await shop.pass(6 * DAY);
    shop.pay(4200);

    await shop.pass(3 * DAY);

    expect(await shop.order()).toMatchObject({ status: 'paid', late: true, amountPaid: 4200 });
  });

  it('records a payment after its cancellation', async () => {
    await shop.cancel(id);
    shop.pay(4200);

    await shop.pass(2 * HOUR);

    expect(await shop.order()).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('records a return weeks later', async () => {
    const transfer = shop.pay(4200);
    await shop.reconcile(id);
    await shop.pass(10 * DAY);
    shop.giveBack(transfer);

    await shop.pass(20 * DAY);

    expect((await shop.order()).status).toBe('reversed');
  });
});

describe('the reads of an order without webhooks', () => {
  const reads = () => shop.viva.times('readOrder') + shop.viva.times('listOrderTransactions');

  it.each([
    ['exact', {}, 76],
    ['open', { disableExactAmount: true }, 122],
  ])('continue until 30 days after its end, then stop: %s', async (_, change, most) => {
    await ordered(change);
    await shop.pass(5 * DAY + HOUR);
    const { status, endedAt = '' } = await shop.order();
    expect(status).toBe('expired');
    let last = 0;

    for (let day = 0; day < 60; day++) {
      const before = reads();
      await shop.pass(DAY);
      last = reads() > before ? shop.now : last;
    }

    expect(reads()).toBeLessThanOrEqual(most);
    expect(last - Date.parse(endedAt)).toBeGreaterThan(29.9 * DAY);
    expect(last - Date.parse(endedAt)).toBeLessThan(31 * DAY);
    expect((await shop.order()).dueAt).toBeUndefined();
  });

  it.each([
    ['exact', {}],
    ['open', { disableExactAmount: true }],
  ])('never stop for an order that never expires, and become rare: %s', async (_, change) => {
    await ordered({ expiresInSeconds: null, ...change });
    await shop.pass(365 * DAY);
    const before = shop.viva.times('readOrder');

    await shop.pass(365 * DAY);

    expect(before).toBeLessThanOrEqual(65);
    expect(shop.viva.times('readOrder') - before).toBeGreaterThanOrEqual(11);
    expect(shop.viva.times('readOrder') - before).toBeLessThanOrEqual(13);
    expect((await shop.order()).status).toBe('pending');
    expect((await shop.order()).dueAt).toBeDefined();
  });

  it('are one per reconciliation once a payment was found', async () => {
    shop.pay(4200);
    await reconciledTwice();
    const before = reads();

    await shop.reconcile(id);

    expect(reads() - before).toBe(1);
  });

  it('are five minutes apart at first, and at most an hour on the first day', async () => {
    const due: number[] = [];
    while (shop.now < Date.parse('2026-11-22T06:00:00Z')) {
      const next = Date.parse((await shop.order()).dueAt ?? '');
      due.push(next - shop.now);
      shop.now = next;
      await shop.reconcile(id);
    }

    expect(due.slice(0, 3)).toEqual([5 * MINUTE, 5 * MINUTE, 5 * MINUTE]);
    expect(Math.max(...due)).toBe(HOUR);
    expect(due.toSorted((a, b) => a - b)).toEqual(due);
  });

  it('do not happen for an order whose code was never given to anybody', async () => {
    shop = new RfShop();
    shop.answers = {
      createPaymentCode: async () => {
        throw new TransientError('NO_ANSWER', 'none');
      },
    };
    id = (await shop.post()).body.rfOrderId;
    await shop.pass(HOUR);
    expect((await shop.order()).status).toBe('failed');

    await shop.reconcile(id);

    expect((await shop.order()).dueAt).toBeUndefined();
  });
});

describe('an order with an unpublished event', () => {
  it('keeps its due time when a read does not delay it', async () => {
    shop.pay(4200);
    const { dueAt } = await shop.reconcile(id);
    shop.now += HOUR;

    expect(await shop.reconcile(id)).toMatchObject({ dueAt, outbox: [{ status: 'paid' }] });
  });

  it('keeps its due time after the last read', async () => {
    shop.pay(4200);
    const { dueAt } = await shop.reconcile(id);
    shop.now += 40 * DAY;

    expect((await shop.reconcile(id)).dueAt).toBe(dueAt);
    await shop.payments.change('rf-order', id, () => ({ outbox: undefined }));
    expect((await shop.reconcile(id)).dueAt).toBeUndefined();
  });
});

describe('a platform with problems', () => {
  it('changes nothing when it does not answer', async () => {
    shop.answers = {
      readOrder: async () => {
        throw new TransientError('NO_ANSWER', 'none');
      },
    };
    const before = await shop.order();

    await expect(shop.reconcile(id)).rejects.toThrow('NO_ANSWER');

    expect(await shop.order()).toEqual(before);
  });

  it('is read again within minutes when its list lags', async () => {
    shop.pay(4200);
    const { records } = shop;
    shop.records = [];
    await shop.reconcile(id);
    shop.records = records;

    await shop.pass(4 * MINUTE);

    expect((await shop.order()).status).toBe('paid');
  });

  it('causes a review that can resolve itself when it reports paid without a payment for an hour', async () => {
    shop.state = 'paid';
    await shop.pass(HOUR);
    expect((await shop.order()).status).toBe('pending');

    await shop.pass(HOUR);

    const order = await shop.order();
    expect(order).toMatchObject({ status: 'needs_review', failure: { code: 'RF_PAYMENT_NOT_FOUND' } });
    expect(rfOrderRepresentation(order).final).toBe(false);
    shop.pay(4200);
    await shop.pass(2 * HOUR);
    expect((await shop.order()).status).toBe('paid');
  });

  it('is asked once about each order that a webhook names', async () => {
    const lists = () => shop.viva.asked.filter(({ method }) => method === 'listOrderTransactions');
    await shop.reconcile(id, { otherCodes: [ORDER_CODE] });
    expect(lists()).toEqual([]); // It is open, so there is no payment to find.
    await shop.payments.change('rf-order', id, () => ({ otherCodes: ['9948100551072603'] }));

    await shop.reconcile(id, { otherCodes: ['9948100551072603', ORDER_CODE] });

    expect(lists().map(({ request }) => request)).toEqual(['9948100551072603']);
  });

  it('may fail to list another order without affecting the order’s own read', async () => {
    shop.pay(4200);
    const { records } = shop;
    shop.answers = {
      listOrderTransactions: async (code) => {
        if (code === '9948100551072603') {
          throw new TransientError('NO_ANSWER', 'none');
        }
        return { records, call: anyCall };
      },
    };

    expect(await shop.reconcile(id, { otherCodes: ['9948100551072603'] })).toMatchObject({ status: 'paid' });
  });

  it('is not blamed for an error of ours while another order is read', async () => {
    shop.answers = {
      listOrderTransactions: async () => {
        throw new TypeError('ours');
      },
    };

    await expect(shop.reconcile(id, { otherCodes: ['9948100551072603'] })).rejects.toThrow('ours');
  });

  it('does not remove a payment by an older list', async () => {
    shop.pay(4200);
    await shop.reconcile(id);
    shop.records = [];

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('causes a review at the second reading when it changes a payment that it reported before', async () => {
    const transfer = shop.pay(4200);
    await shop.reconcile(id);
    shop.records = [{ ...transfer, merchantId: '1b9e7f60-3c2d-4e5f-8a6b-7c8d9e0f1a2b' }];

    expect(await shop.reconcile(id)).toMatchObject({ status: 'paid', amountPaid: 4200 });
    expect(await reconciledTwice()).toMatchObject({ status: 'needs_review', failure: { code: 'MERCHANT_MISMATCH' } });
    shop.records = [{ ...transfer, statusId: 'E' }];
    expect((await reconciledTwice()).failure).toEqual({ code: 'TRANSACTION_MISMATCH' });
    shop.records = [transfer];

    expect(await shop.reconcile(id)).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('is not trusted when it reports another amount for the order', async () => {
    shop.answers = { readOrder: async () => ({ state: 'pending', amount: 4300, call: anyCall }) };

    expect((await shop.reconcile(id)).status).toBe('pending');
    expect(await reconciledTwice()).toMatchObject({ status: 'needs_review', failure: { code: 'AMOUNT_MISMATCH' } });
  });
});

describe('records that were already read', () => {
  const given = async (...records: TransactionRecord[]) => shop.reconcileBy(id, records);

  it('are not written when they are known', async () => {
    const payment = shop.pay(4200);
    await reconciledTwice();
    const before = shop.payments.writes;

    expect(await given(payment)).toMatchObject({ status: 'paid', amountPaid: 4200 });
    expect(shop.payments.writes).toBe(before);
  });
  const reads = () => shop.viva.times('readOrder') + shop.viva.times('listOrderTransactions');

  it('of many payments count as one reading for their order, without another read', async () => {
    const transfer = shop.pay(4200);
    const others = [
      { ...transfer, transactionId: 'transaction-8', orderCode: '9948100551072603' },
      { ...transfer, transactionId: 'transaction-9', orderCode: '9948100551072605', merchantTrns: 'room 12' },
    ];

    expect(await given(...others, transfer)).toMatchObject({
      status: 'pending',
      readings: { 'transaction-1': { seen: 'amount 4200' } },
      dueAt: '2026-11-21T09:04:00.000Z',
    });
    expect(reads()).toBe(0);
    shop.now += 5 * MINUTE;
    expect(await given(transfer)).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('write nothing without news, and leave the next read where it is', async () => {
    const transfer = shop.pay(4200);
    await shop.reconcile(id);
    const before = await shop.order();
    shop.now += HOUR;

    await given(transfer);
    await given();
    await given({ ...transfer, orderCode: '9948100551072603', transactionId: 'transaction-7' });

    expect(await shop.order()).toEqual(before);
  });

  it('of other orders write nothing', async () => {
    const { writes } = shop.payments;
    const other = shop.pay(4200, { orderCode: '9948100551072603' });

    await given();
    await given(other);

    expect(shop.payments.writes).toBe(writes);
  });

  it('of other orders do not continue the creation of the order', async () => {
    shop = new RfShop();
    shop.answers = {
      createPaymentCode: async () => {
        throw new TransientError('NO_ANSWER', 'none');
      },
    };
    id = (await shop.post()).body.rfOrderId;
    const asked = shop.viva.asked.length;
    shop.now += HOUR;

    await given(shop.pay(4200, { orderCode: '9948100551072603' }));

    expect(shop.viva.asked).toHaveLength(asked);
  });

  it('find a late payment of an order that is no longer read, and make it due again', async () => {
    await shop.pass(50 * DAY);
    expect((await shop.order()).dueAt).toBeUndefined();
    const transfer = shop.pay(4200);

    await given(transfer);
    await shop.pass(10 * MINUTE);

    expect(await shop.order()).toMatchObject({ status: 'paid', late: true });
  });

  it('count a return of one day for the payment of another day', async () => {
    const transfer = shop.pay(4200);
    await shop.reconcile(id);
    const [first, second] = [shop.giveBack(transfer, 1000), shop.giveBack(transfer, 3200)];
    for (const one of [first, first, second, second]) {
      shop.now += DAY;
      await given(one);
    }

    expect(await shop.order()).toMatchObject({ status: 'reversed', payments: [{ returned: 4200 }] });
    expect(reads()).toBe(2);
  });

  it('of a return without its payment cause a read of the order', async () => {
    const back = shop.giveBack(shop.pay(4200));

    await given({ ...back, merchantTrns: `room 12 ${id}` });

    expect(reads()).toBeGreaterThan(0);
    await shop.pass(10 * MINUTE);
    expect((await shop.order()).status).toBe('reversed');
  });

  it('never prove that nobody paid', async () => {
    shop.now += 6 * DAY;

    expect((await given({ ...shop.pay(4200), statusId: 'E' })).status).toBe('pending');
  });
});

describe('the platform’s commission', () => {
  it('is shown on the payment, and summed on the order, after two readings', async () => {
    const first = shop.pay(4200);
    await shop.reconcile(id);
    expect((await shop.order()).commission).toBeUndefined();

    shop.records = [{ ...first, commission: 63 }];
    expect((await shop.reconcile(id)).commission).toBeUndefined();
    await reconciledTwice();
    shop.pay(4200, { commission: 60 });
    await reconciledTwice();
    const { revision } = await reconciledTwice();

    expect(await shop.order()).toMatchObject({ commission: 123, payments: [{ commission: 63 }, { commission: 60 }] });
    expect((await shop.reconcile(id)).revision).toBe(revision);
  });

  it('is found by the order’s own reads when no webhook reports it', async () => {
    const payment = shop.pay(4200);
    await shop.reconcile(id);
    shop.records = [{ ...payment, commission: 63 }];

    await shop.pass(2 * HOUR);

    expect((await shop.order()).commission).toBe(63);
  });

  it('is not removed by an older list', async () => {
    const payment = shop.pay(4200, { commission: 63 });
    await reconciledTwice();
    shop.records = [{ ...payment, commission: 0 }];

    expect((await reconciledTwice()).commission).toBe(63);
  });

  it('is not accepted when it is more than the payment', async () => {
    shop.pay(4200, { commission: 4201 });

    expect((await reconciledTwice()).commission).toBeUndefined();
  });
});
