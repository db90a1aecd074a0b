import { beforeEach, describe, expect, it } from 'vitest';
import { rfOrderRepresentation } from '../../../../../shared/api/representation/rf-order.ts';
import { TransientError } from '../../../../../shared/flow/errors.ts';
import type { TransactionRecord } from '../../../../../shared/viva/viva.ts';
import { anyCall, ORDER_CODE } from '../../../../fakes/platform.ts';
import { DAY, HOUR, MINUTE, RfShop } from '../../../../fakes/rf-shop.ts';

let shop: RfShop;
let id: string;

async function ordered(change: object = {}): Promise<void> {
  shop = new RfShop();
  id = (await shop.post(change)).body.rfOrderId;
}

beforeEach(() => ordered());

/** How often each status was published. */
async function withEvent(): Promise<string[]> {
  return ((await shop.order()).outbox ?? []).map(({ status }) => status);
}

/** Two looks, as far apart as two readings must be. */
async function reconciledTwice() {
  await shop.reconcile(id);
  shop.now += 5 * MINUTE;
  return shop.reconcile(id);
}

describe('an exact order', () => {
  it('is paid by one transfer at once, and that is published once however often it is read', async () => {
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

  it('paid twice is paid once, and overpaid once the second transfer was read twice', async () => {
    shop.pay(4200);
    await shop.reconcile(id);
    shop.pay(4200);
    expect(await shop.reconcile(id)).toMatchObject({ amountPaid: 4200, overpaid: false });

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 8400, overpaid: true });
    expect(await withEvent()).toEqual(['paid']);
  });

  it('that is read as paid tells of one transfer only: a second one is read twice', async () => {
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

  it('is for a person when another amount than its own was read twice', async () => {
    shop.pay(4300);
    expect(await shop.reconcile(id)).toMatchObject({ status: 'pending', payments: [] });
    shop.now += 5 * MINUTE;

    expect(await shop.reconcile(id)).toMatchObject({
      status: 'needs_review',
      failure: { code: 'AMOUNT_MISMATCH' },
      payments: [],
    });
  });

  it('is reversed when the bank takes the money back, as two readings of the return say', async () => {
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

  it('has nothing left to be read again once it is paid, or given back', async () => {
    const transfer = shop.pay(4200);
    expect((await shop.reconcile(id)).readings).toBeUndefined();
    shop.giveBack(transfer);
    expect((await shop.reconcile(id)).readings).toHaveProperty('return-1');

    expect((await reconciledTwice()).readings).toBeUndefined();
  });

  it('overpaid and half returned is paid, and no longer overpaid', async () => {
    shop.pay(4200);
    shop.giveBack(shop.pay(4200));

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4200, overpaid: false });
  });

  it('paid again after a return is for a person to decide', async () => {
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

  it('shows in its timeline that a payment was seen, and nothing of it in its amounts', async () => {
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

  it('is partially paid until enough has come', async () => {
    shop.pay(1000);
    const part = await reconciledTwice();
    shop.pay(3300);
    const whole = await reconciledTwice();

    expect(part).toMatchObject({ status: 'partially_paid', amountPaid: 1000 });
    expect(whole).toMatchObject({ status: 'paid', amountPaid: 4300, overpaid: true });
    expect(await withEvent()).toEqual(['paid']);
  });

  it('one cent short is not paid', async () => {
    shop.pay(4199);

    expect((await reconciledTwice()).status).toBe('partially_paid');
  });

  it('counts each of several payments by itself, whatever comes between', async () => {
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

  it('is reversed when a part of what made it paid goes back', async () => {
    const part = shop.pay(2000);
    shop.pay(2200);
    await reconciledTwice();
    shop.giveBack(part);

    expect(await reconciledTwice()).toMatchObject({ status: 'reversed', amountPaid: 2200 });
  });

  it('counts what is given back in parts: each part once, however it is listed', async () => {
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

  it('partially paid and partially returned is partially paid', async () => {
    shop.giveBack(shop.pay(2000), 500);

    expect(await reconciledTwice()).toMatchObject({ status: 'partially_paid', amountPaid: 1500 });
  });

  it('is not reversed while the platform only says that something was given back', async () => {
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

  it('that is disputed is paid all the same', async () => {
    shop.pay(4200, { statusId: 'MA' });

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('underpaid for good is for a person to decide, and final', async () => {
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

describe('readings that disagree', () => {
  beforeEach(() => ordered({ disableExactAmount: true }));

  it('are for a person, and settle by themselves once two agree', async () => {
    const transfer = shop.pay(1000);
    shop.records = [{ ...transfer, amount: 1600 }];
    await shop.reconcile(id);
    shop.records = [transfer];
    shop.now += 5 * MINUTE;
    const differ = await shop.reconcile(id);
    expect(differ).toMatchObject({ status: 'needs_review', failure: { code: 'AMOUNT_MISMATCH' }, payments: [] });
    expect(rfOrderRepresentation(differ).final).toBe(false);

    shop.now += 5 * MINUTE;
    const agreed = await shop.reconcile(id);

    expect(agreed).toMatchObject({ status: 'partially_paid', amountPaid: 1000 });
    expect(agreed.failure).toBeUndefined();
    expect(agreed.reconciledUntil).toBeUndefined();
  });

  it('change nothing that is shown as long as the same doubt stands', async () => {
    shop.pay(4200, { currency: 'RON' });
    const review = await reconciledTwice();
    shop.now += 5 * MINUTE;

    const again = await shop.reconcile(id);

    expect(review.status).toBe('needs_review');
    expect([again.revision, again.reconciledUntil]).toEqual([review.revision, review.reconciledUntil]);
  });

  it('go on for a day at most before the review is final, and are looked at less and less often', async () => {
    let n = 0;
    const transfer = shop.pay(1000);
    shop.answers = {
      listOrderTransactions: async () => ({ records: [{ ...transfer, amount: 1000 + ++n }], call: anyCall }),
    };

    await shop.pass(23 * HOUR);
    expect(rfOrderRepresentation(await shop.order())).toMatchObject({ status: 'needs_review', final: false });
    expect(n).toBeLessThan(70);
    await shop.pass(2 * HOUR);

    expect(rfOrderRepresentation(await shop.order())).toMatchObject({ status: 'needs_review', final: true });
    expect((await shop.order()).dueAt).toBeDefined();
  });

  it('of a known amount change nothing until two agree on another one', async () => {
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

  it('that make a paid order cost less than it does are for a person: that is no return', async () => {
    const transfer = shop.pay(4200);
    await reconciledTwice();
    shop.records = [{ ...transfer, amount: 4100 }];

    expect(await reconciledTwice()).toMatchObject({ status: 'needs_review', failure: { code: 'AMOUNT_MISMATCH' } });
  });

  it('are not published as paid a second time when a paid order comes back from a person', async () => {
    const first = shop.pay(4200);
    await reconciledTwice();
    const second = shop.pay(100);
    shop.records = [first, { ...second, amount: 200 }];
    await shop.reconcile(id);
    shop.records = [first, second];
    shop.now += 5 * MINUTE;
    expect((await shop.reconcile(id)).status).toBe('needs_review');

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4300 });
    expect(await withEvent()).toEqual(['paid', 'needs_review']);
  });

  it('about a payment that no list shows any more are for a person', async () => {
    shop.pay(1000);
    await shop.reconcile(id);
    shop.records = [];
    shop.state = 'pending';

    await shop.pass(2 * HOUR);

    expect(await shop.order()).toMatchObject({ status: 'needs_review', failure: { code: 'RF_PAYMENT_NOT_FOUND' } });
  });
});

describe('what does not belong to the order', () => {
  it.each([
    ['another merchant', { merchantId: '1b9e7f60-3c2d-4e5f-8a6b-7c8d9e0f1a2b' }, 'MERCHANT_MISMATCH'],
    ['no merchant', { merchantId: undefined }, 'MERCHANT_MISMATCH'],
    ['another order code', { orderCode: '9948100551072603' }, 'TRANSACTION_MISMATCH'],
    ['a card payment', { transactionTypeId: 5 }, 'TRANSACTION_MISMATCH'],
    ['another currency', { currency: 'RON' }, 'AMOUNT_MISMATCH'],
  ])('is not believed, and for a person when read twice: %s', async (_, change, code) => {
    shop.pay(4200, change as Partial<TransactionRecord>);
    expect((await shop.reconcile(id)).status).toBe('pending');
    shop.now += 5 * MINUTE;

    expect(await shop.reconcile(id)).toMatchObject({ status: 'needs_review', failure: { code }, payments: [] });
  });

  it('is forgotten when no list shows it any more', async () => {
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

  it('is the order’s by its reference alone, too', async () => {
    shop.pay(4200, { orderCode: '9948100551072603', merchantTrns: `room 12 ${id}` });

    expect(await reconciledTwice()).toMatchObject({
      status: 'paid',
      payments: [{ orderCode: '9948100551072603' }],
      otherCodes: ['9948100551072603'],
    });
  });

  it.each(['E', 'A'])('is no payment: status %s', async (statusId) => {
    await ordered({ disableExactAmount: true });
    shop.pay(4200, { statusId });
    shop.state = 'pending';

    const order = await reconciledTwice();

    expect(order).toMatchObject({ status: 'pending', payments: [] });
    expect(order.readings).toBeUndefined();
  });

  it('is no payment: the child of one', async () => {
    const transfer = shop.pay(4200);
    shop.giveBack(transfer);
    shop.records = shop.records.filter(({ parentId }) => parentId !== undefined);

    expect(await reconciledTwice()).toMatchObject({ status: 'pending', payments: [] });
  });

  it('is left again once the platform tells what fits', async () => {
    const wrong = shop.pay(4200, { currency: 'RON' });
    await reconciledTwice();
    shop.records = [{ ...wrong, currency: 'EUR' }];

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('brings a pending order back once it is not told any more', async () => {
    shop.answers = { readOrder: async () => ({ state: 'pending', amount: 4300, call: anyCall }) };
    expect((await reconciledTwice()).status).toBe('needs_review');
    shop.answers = {};

    const order = await shop.reconcile(id);

    expect(rfOrderRepresentation(order)).toMatchObject({ status: 'pending', final: false });
    expect(order.failure).toBeUndefined();
  });
});

describe('an order that nobody paid', () => {
  it('expires when the order is read as expired and no transfer is listed', async () => {
    shop.now += 5 * DAY + 2 * MINUTE;
    shop.state = 'expired';

    expect((await shop.reconcile(id)).status).toBe('expired');
  });

  it('by our clock alone expires at the second reading', async () => {
    shop.now += 5 * DAY + 2 * MINUTE;

    expect((await shop.reconcile(id)).status).toBe('pending');
    shop.now += 5 * MINUTE;
    expect((await shop.reconcile(id)).status).toBe('expired');
  });

  it('before its time expires at the second reading only', async () => {
    shop.state = 'expired';

    expect((await shop.reconcile(id)).status).toBe('pending');
    shop.now += 5 * MINUTE;
    expect((await shop.reconcile(id)).status).toBe('expired');
  });

  it('is cancelled by the second reading that says so, and by the first where we asked for it', async () => {
    shop.state = 'cancelled';
    expect((await shop.reconcile(id)).status).toBe('pending');
    shop.now += 5 * MINUTE;
    expect((await shop.reconcile(id)).status).toBe('cancelled');

    await ordered();
    await shop.payments.change('rf-order', id, () => ({ cancelRequestedAt: '2026-11-21T09:00:00.000Z' }));
    shop.state = 'cancelled';
    expect((await shop.reconcile(id)).status).toBe('cancelled');
  });

  it('has to be read as ended twice anew after something else was read that is listed no more', async () => {
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

  it('begins anew when it is read as open in between', async () => {
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

describe('without any message', () => {
  it('a payment is found by reading', async () => {
    shop.pay(4200);

    await shop.pass(5 * MINUTE);

    expect((await shop.order()).status).toBe('paid');
  });

  it('a payment on the fourth day is found before the order ends', async () => {
    await shop.pass(3.5 * DAY);
    shop.pay(4200);

    await shop.pass(1.5 * DAY + HOUR);

    expect(await shop.order()).toMatchObject({ status: 'paid', late: false });
  });

  it('an unpaid order expires', async () => {
    await shop.pass(5 * DAY + 10 * MINUTE);

    expect(await shop.order()).toMatchObject({ status: 'expired', amountPaid: 0 });
    expect((await shop.order()).timeline.map(({ event }) => event)).toContain('rf_order.expired');
  });

  it('an order of one minute expires in minutes', async () => {
    await ordered({ expiresInSeconds: 60 });

    await shop.pass(10 * MINUTE);

    expect((await shop.order()).status).toBe('expired');
  });

  it('money that comes after the expiry is taken down, as late', async () => {
    await shop.pass(6 * DAY);
    shop.pay(4200);

    await shop.pass(3 * DAY);

    expect(await shop.order()).toMatchObject({ status: 'paid', late: true, amountPaid: 4200 });
  });

  it('money that comes for a cancelled order is taken down', async () => {
    await shop.cancel(id);
    shop.pay(4200);

    await shop.pass(2 * HOUR);

    expect(await shop.order()).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('a return is found weeks later', async () => {
    const transfer = shop.pay(4200);
    await shop.reconcile(id);
    await shop.pass(10 * DAY);
    shop.giveBack(transfer);

    await shop.pass(20 * DAY);

    expect((await shop.order()).status).toBe('reversed');
  });
});

describe('reads of an order that no message tells of', () => {
  const reads = () => shop.platform.times('readOrder') + shop.platform.times('listOrderTransactions');

  it.each([
    ['exact', {}, 76],
    ['open', { disableExactAmount: true }, 122],
  ])('go on until 30 days after its end, then stop: %s', async (_, change, most) => {
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
  ])('never stop for one that never expires, and become rare: %s', async (_, change) => {
    await ordered({ expiresInSeconds: null, ...change });
    await shop.pass(365 * DAY);
    const before = shop.platform.times('readOrder');

    await shop.pass(365 * DAY);

    expect(before).toBeLessThanOrEqual(65);
    expect(shop.platform.times('readOrder') - before).toBeGreaterThanOrEqual(11);
    expect(shop.platform.times('readOrder') - before).toBeLessThanOrEqual(13);
    expect((await shop.order()).status).toBe('pending');
    expect((await shop.order()).dueAt).toBeDefined();
  });

  it('are one a look once money came', async () => {
    shop.pay(4200);
    await reconciledTwice();
    const before = reads();

    await shop.reconcile(id);

    expect(reads() - before).toBe(1);
  });

  it('are five minutes apart at first, an hour at most on the first day', async () => {
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

  it('are none of an order whose code nobody has', async () => {
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

describe('an order that has an event to publish', () => {
  it('keeps its due time when a read moves it no further', async () => {
    shop.pay(4200);
    const { dueAt } = await shop.reconcile(id);
    shop.now += HOUR;

    expect(await shop.reconcile(id)).toMatchObject({ dueAt, outbox: [{ status: 'paid' }] });
  });

  it('keeps it beyond the last read', async () => {
    shop.pay(4200);
    const { dueAt } = await shop.reconcile(id);
    shop.now += 40 * DAY;

    expect((await shop.reconcile(id)).dueAt).toBe(dueAt);
    await shop.payments.change('rf-order', id, () => ({ outbox: undefined }));
    expect((await shop.reconcile(id)).dueAt).toBeUndefined();
  });
});

describe('a platform in trouble', () => {
  it('that does not answer moves nothing', async () => {
    shop.answers = {
      readOrder: async () => {
        throw new TransientError('NO_ANSWER', 'none');
      },
    };
    const before = await shop.order();

    await expect(shop.reconcile(id)).rejects.toThrow('NO_ANSWER');

    expect(await shop.order()).toEqual(before);
  });

  it('whose list lags behind is asked again within minutes', async () => {
    shop.pay(4200);
    const { records } = shop;
    shop.records = [];
    await shop.reconcile(id);
    shop.records = records;

    await shop.pass(4 * MINUTE);

    expect((await shop.order()).status).toBe('paid');
  });

  it('that says paid and shows no payment for an hour is for a person, and settles by itself', async () => {
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

  it('is asked once about each order that a message names', async () => {
    const lists = () => shop.platform.asked.filter(({ method }) => method === 'listOrderTransactions');
    await shop.reconcile(id, { otherCodes: [ORDER_CODE] });
    expect(lists()).toEqual([]); // it is open: there is no payment to look for
    await shop.payments.change('rf-order', id, () => ({ otherCodes: ['9948100551072603'] }));

    await shop.reconcile(id, { otherCodes: ['9948100551072603', ORDER_CODE] });

    expect(lists().map(({ request }) => request)).toEqual(['9948100551072603']);
  });

  it('that cannot list another order is no reason not to read the order’s own', async () => {
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

  it('is not what a mistake of ours while reading another order is taken for', async () => {
    shop.answers = {
      listOrderTransactions: async () => {
        throw new TypeError('ours');
      },
    };

    await expect(shop.reconcile(id, { otherCodes: ['9948100551072603'] })).rejects.toThrow('ours');
  });

  it('that shows an older list than before takes no payment away', async () => {
    shop.pay(4200);
    await shop.reconcile(id);
    shop.records = [];

    expect(await reconciledTwice()).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('that says something else of a payment it told before is for a person at the second reading', async () => {
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

  it('that says another amount for the order is believed at no reading', async () => {
    shop.answers = { readOrder: async () => ({ state: 'pending', amount: 4300, call: anyCall }) };

    expect((await shop.reconcile(id)).status).toBe('pending');
    expect(await reconciledTwice()).toMatchObject({ status: 'needs_review', failure: { code: 'AMOUNT_MISMATCH' } });
  });
});

describe('records that were read already', () => {
  const given = async (...records: TransactionRecord[]) => shop.reconcileBy(id, records);

  it('are not written where they say what is known already', async () => {
    const payment = shop.pay(4200);
    await reconciledTwice();
    const before = shop.payments.writes;

    expect(await given(payment)).toMatchObject({ status: 'paid', amountPaid: 4200 });
    expect(shop.payments.writes).toBe(before);
  });
  const reads = () => shop.platform.times('readOrder') + shop.platform.times('listOrderTransactions');

  it('of many payments count as one reading of those that are the order’s, without another read', async () => {
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

  it('write nothing where they tell nothing new, and leave the next read where it is', async () => {
    const transfer = shop.pay(4200);
    await shop.reconcile(id);
    const before = await shop.order();
    shop.now += HOUR;

    await given(transfer);
    await given();
    await given({ ...transfer, orderCode: '9948100551072603', transactionId: 'transaction-7' });

    expect(await shop.order()).toEqual(before);
  });

  it('that are none of the order’s write nothing at all', async () => {
    const { writes } = shop.payments;
    const other = shop.pay(4200, { orderCode: '9948100551072603' });

    await given();
    await given(other);

    expect(shop.payments.writes).toBe(writes);
  });

  it('that are none of the order’s do not go on with its creation', async () => {
    shop = new RfShop();
    shop.answers = {
      createPaymentCode: async () => {
        throw new TransientError('NO_ANSWER', 'none');
      },
    };
    id = (await shop.post()).body.rfOrderId;
    const asked = shop.platform.asked.length;
    shop.now += HOUR;

    await given(shop.pay(4200, { orderCode: '9948100551072603' }));

    expect(shop.platform.asked).toHaveLength(asked);
  });

  it('find late money of an order that is read no more, and have it read again', async () => {
    await shop.pass(50 * DAY);
    expect((await shop.order()).dueAt).toBeUndefined();
    const transfer = shop.pay(4200);

    await given(transfer);
    await shop.pass(10 * MINUTE);

    expect(await shop.order()).toMatchObject({ status: 'paid', late: true });
  });

  it('count what another day gives back to what this one gave', async () => {
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

  it('of a return without its payment have the order itself read', async () => {
    const back = shop.giveBack(shop.pay(4200));

    await given({ ...back, merchantTrns: `room 12 ${id}` });

    expect(reads()).toBeGreaterThan(0);
    await shop.pass(10 * MINUTE);
    expect((await shop.order()).status).toBe('reversed');
  });

  it('never conclude that nobody paid', async () => {
    shop.now += 6 * DAY;

    expect((await given({ ...shop.pay(4200), statusId: 'E' })).status).toBe('pending');
  });
});

describe('the platform’s commission', () => {
  it('is on the payment, and summed up on the order, once two readings say so', async () => {
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

  it('is found by the order’s own reads when no message tells of it', async () => {
    const payment = shop.pay(4200);
    await shop.reconcile(id);
    shop.records = [{ ...payment, commission: 63 }];

    await shop.pass(2 * HOUR);

    expect((await shop.order()).commission).toBe(63);
  });

  it('once known is not taken back by an older list', async () => {
    const payment = shop.pay(4200, { commission: 63 });
    await reconciledTwice();
    shop.records = [{ ...payment, commission: 0 }];

    expect((await reconciledTwice()).commission).toBe(63);
  });

  it('is not believed when it is more than the payment', async () => {
    shop.pay(4200, { commission: 4201 });

    expect((await reconciledTwice()).commission).toBeUndefined();
  });
});
