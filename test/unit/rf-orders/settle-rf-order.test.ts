import { beforeEach, describe, expect, it } from 'vitest';
import { TransientError } from '../../../shared/errors.ts';
import { anyCall } from '../../fakes/platform.ts';
import { DAY, HOUR, MINUTE, RfShop } from './shop.ts';

let shop: RfShop;
let id: string;

async function ordered(change: object = {}): Promise<void> {
  shop = new RfShop();
  id = (await shop.post(change)).body.rfOrderId;
}

beforeEach(() => ordered());

/** How often each status was announced. */
async function announced(): Promise<string[]> {
  return ((await shop.order()).outbox ?? []).map(({ status }) => status);
}

describe('an exact order', () => {
  it('is paid by one transfer, and that is announced once however often it is read', async () => {
    shop.pay(4200);

    await Promise.all([shop.settle(id), shop.settle(id), shop.settle(id)]);

    expect(await shop.order()).toMatchObject({
      status: 'paid',
      amountPaid: 4200,
      payments: [{ transactionId: 'transaction-1', amount: 4200, at: '2026-11-21T09:00:00.000Z' }],
      late: false,
      overpaid: false,
    });
    expect(await announced()).toEqual(['paid']);
  });

  it('paid twice is paid once, and overpaid', async () => {
    shop.pay(4200);
    await shop.settle(id);
    shop.pay(4200);

    expect(await shop.settle(id)).toMatchObject({ status: 'paid', amountPaid: 8400, overpaid: true });
    expect(await announced()).toEqual(['paid']);
  });

  it('is not paid by another amount than its own', async () => {
    shop.pay(4300);

    expect(await shop.settle(id)).toMatchObject({
      status: 'needs_review',
      failure: { code: 'AMOUNT_MISMATCH' },
      payments: [],
    });
  });

  it('is reversed when the bank takes the money back', async () => {
    const transfer = shop.pay(4200);
    await shop.settle(id);
    shop.giveBack(transfer);

    expect(await shop.settle(id)).toMatchObject({
      status: 'reversed',
      amountPaid: 0,
      payments: [{ amount: 4200, returned: 4200, reversed: true }],
    });
  });

  it('overpaid and half returned is paid, and no longer overpaid', async () => {
    shop.pay(4200);
    shop.giveBack(shop.pay(4200));

    expect(await shop.settle(id)).toMatchObject({ status: 'paid', amountPaid: 4200, overpaid: false });
  });

  it('paid again after a return is for a person to decide', async () => {
    shop.giveBack(shop.pay(4200));
    await shop.settle(id);
    shop.pay(4200);

    expect(await shop.settle(id)).toMatchObject({
      status: 'needs_review',
      failure: { code: 'RF_PAID_AFTER_RETURN' },
      amountPaid: 4200,
    });
  });
});

describe('an open order', () => {
  beforeEach(() => ordered({ disableExactAmount: true }));

  it('is partially paid until enough has come', async () => {
    shop.pay(1000);
    const part = await shop.settle(id);
    shop.pay(3300);
    const whole = await shop.settle(id);

    expect(part).toMatchObject({ status: 'partially_paid', amountPaid: 1000 });
    expect(whole).toMatchObject({ status: 'paid', amountPaid: 4300, overpaid: true });
    expect(await announced()).toEqual(['paid']);
  });

  it('one cent short is not paid', async () => {
    shop.pay(4199);

    expect((await shop.settle(id)).status).toBe('partially_paid');
  });

  it('is reversed when a part of what made it paid goes back', async () => {
    const part = shop.pay(2000);
    shop.pay(2200);
    await shop.settle(id);
    shop.giveBack(part);

    expect(await shop.settle(id)).toMatchObject({ status: 'reversed', amountPaid: 2200 });
  });

  it('underpaid for good is for a person to decide', async () => {
    shop.pay(1000);

    await shop.pass(400 * DAY);

    expect(await shop.order()).toMatchObject({ status: 'needs_review', failure: { code: 'RF_UNDERPAID' } });
  });
});

describe('what does not belong to the order', () => {
  it.each([
    ['another merchant', { merchantId: '1b9e7f60-3c2d-4e5f-8a6b-7c8d9e0f1a2b' }, 'MERCHANT_MISMATCH'],
    ['another order code', { orderCode: '9948100551072603' }, 'MERCHANT_MISMATCH'],
    ['another currency', { currency: 'RON' }, 'AMOUNT_MISMATCH'],
  ])('is not believed: %s', async (_, change, code) => {
    shop.pay(4200, change);

    expect(await shop.settle(id)).toMatchObject({ status: 'needs_review', failure: { code }, payments: [] });
  });

  it.each(['E', 'A'])('is no payment: status %s', async (statusId) => {
    shop.pay(4200, { statusId });

    expect(await shop.settle(id)).toMatchObject({ status: 'pending', payments: [] });
  });

  it('is left again once the platform tells what fits', async () => {
    const wrong = shop.pay(4200, { currency: 'RON' });
    await shop.settle(id);
    shop.records = [{ ...wrong, currency: 'EUR' }];

    expect(await shop.settle(id)).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });
});

describe('without any webhook', () => {
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

  it('an unpaid order expires by our own clock', async () => {
    await shop.pass(5 * DAY + 5 * MINUTE);

    expect(await shop.order()).toMatchObject({ status: 'expired', amountPaid: 0 });
    expect((await shop.order()).timeline.map(({ event }) => event)).toContain('rf_order.expired');
  });

  it('an order of one minute expires in minutes', async () => {
    await ordered({ expiresInSeconds: 60 });

    await shop.pass(4 * MINUTE);

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
    await shop.settle(id);
    await shop.pass(10 * DAY);
    shop.giveBack(transfer);

    await shop.pass(20 * DAY);

    expect((await shop.order()).status).toBe('reversed');
  });

  it.each([
    ['exact', {}],
    ['open', { disableExactAmount: true }],
    ['endless', { expiresInSeconds: null }],
  ])('an %s order is read at most 60 times, and at last it is told who decides', async (_, change) => {
    await ordered(change);

    await shop.pass(3000 * DAY);

    const order = await shop.order();
    const reads = shop.platform.times('readOrder') + shop.platform.times('listOrderTransactions');
    expect(reads).toBeLessThanOrEqual(60);
    expect(order.dueAt).toBeUndefined();
    expect(order.status).toBe(order.expiresAt === undefined ? 'needs_review' : 'expired');
  });

  it('looks that messages cause use up none of its reads, so that money which comes later is seen', async () => {
    for (let look = 0; look < 80; look++) {
      await shop.settle(id, { otherCodes: [] });
    }
    shop.pay(4200);

    expect(await shop.settle(id, { otherCodes: [] })).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('the first reads are five minutes apart, those of the first day an hour at most', async () => {
    const due: number[] = [];
    while (shop.now < Date.parse('2026-11-22T06:00:00Z')) {
      const next = Date.parse((await shop.order()).dueAt ?? '');
      due.push(next - shop.now);
      shop.now = next;
      await shop.settle(id);
    }

    expect(due[0]).toBe(5 * MINUTE);
    expect(Math.max(...due)).toBe(HOUR);
    expect(due.toSorted((a, b) => a - b)).toEqual(due);
  });
});

describe('a platform in trouble', () => {
  it('that does not answer costs no read, and the order is looked at again', async () => {
    const outage = async () => {
      throw new TransientError('NO_ANSWER', 'none');
    };
    shop.answers = { readOrder: outage };

    await expect(shop.settle(id)).rejects.toThrow('NO_ANSWER');

    expect(await shop.order()).toMatchObject({ status: 'pending', reads: 0, dueAt: expect.any(String) });
  });

  it('whose list lags behind is asked again within a minute or so', async () => {
    shop.pay(4200);
    const { records } = shop;
    shop.records = [];
    await shop.settle(id);
    shop.records = records;

    await shop.pass(MINUTE);

    expect((await shop.order()).status).toBe('paid');
  });

  it('that says paid and never shows a payment is for a person', async () => {
    shop.state = 'paid';

    await shop.pass(2 * DAY);

    expect(await shop.order()).toMatchObject({ status: 'needs_review', failure: { code: 'RF_PAYMENT_NOT_FOUND' } });
  });

  it('that shows an older list than before takes no payment away', async () => {
    shop.pay(4200);
    await shop.settle(id);
    shop.records = [];

    expect(await shop.settle(id)).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('that says something else of a payment it told before changes nothing', async () => {
    const transfer = shop.pay(4200);
    await shop.settle(id);
    shop.records = [{ ...transfer, amount: 4300, merchantId: '1b9e7f60-3c2d-4e5f-8a6b-7c8d9e0f1a2b' }];

    expect(await shop.settle(id)).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('that says another amount for the order is not believed', async () => {
    shop.answers = { readOrder: async () => ({ state: 'pending', amount: 4300, call: anyCall }) };

    expect(await shop.settle(id)).toMatchObject({ status: 'needs_review', failure: { code: 'AMOUNT_MISMATCH' } });
  });
});

describe('the platform’s commission', () => {
  it('is on the payment, and summed up on the order, once the record says so', async () => {
    const first = shop.pay(4200);
    await shop.settle(id);
    expect((await shop.order()).commission).toBeUndefined();

    shop.records = [{ ...first, commission: 63 }];
    shop.pay(4200, { commission: 60 });
    const { revision } = await shop.settle(id);

    expect(await shop.order()).toMatchObject({ commission: 123, payments: [{ commission: 63 }, { commission: 60 }] });
    expect((await shop.settle(id)).revision).toBe(revision);
  });

  it('is found by the order’s own reads when no message tells of it', async () => {
    const payment = shop.pay(4200);
    await shop.settle(id);
    shop.records = [{ ...payment, commission: 63 }];

    await shop.pass(2 * HOUR);

    expect((await shop.order()).commission).toBe(63);
  });

  it('once known is not taken back by an older list', async () => {
    const payment = shop.pay(4200, { commission: 63 });
    await shop.settle(id);
    shop.records = [{ ...payment, commission: 0 }];

    expect((await shop.settle(id)).commission).toBe(63);
  });

  it('is not believed when it is more than the payment', async () => {
    shop.pay(4200, { commission: 4201 });

    expect((await shop.settle(id)).commission).toBeUndefined();
  });
});
