import { beforeEach, describe, expect, it } from 'vitest';
import { actOnWebhook } from '../../../../functions/webhooks/act-on-webhook/step.ts';
import { FaultError, TransientError } from '../../../../shared/flow/errors.ts';
import type { Account, Charge, Message, RfOrder, Sale } from '../../../../shared/payments/items.ts';
import { actReference } from '../../../../shared/payments/references.ts';
import type { NewItem } from '../../../../shared/payments/store.ts';
import { type Hints, reconcileRfOrder } from '../../../../shared/reconciliation/rf-order/reconcile.ts';
import type { OrderRecord, Session, TransactionRecord } from '../../../../shared/viva/viva.ts';
import { receive, requeued, unpark } from '../../../../shared/webhooks/inbox.ts';
import { readEvent } from '../../../../shared/webhooks/message.ts';
import { anyCall, FakePlatform } from '../../../fakes/platform.ts';
import { arrival, envelope, ORDER_CODE, RF_ORDER_ID, TRANSACTION_ID } from '../../../fakes/webhook-messages.ts';
import { CHARGE_ID, MERCHANT_ID, SALE_ID, World } from '../../../fakes/world.ts';

const OTHER_MERCHANT = '1b9e7f60-3c2d-4e5f-8a6b-7c8d9e0f1a2b';
const START = new World().at;
const DAY_MS = 24 * 3_600_000;

let world: World;
let orderState: OrderRecord['state'];
let records: TransactionRecord[];
let outage: Error | undefined;
let platform: FakePlatform;
let session: Session;
let retried: string[];
let reconciledSales: string[];
let reconciledCharges: string[];
let counted: string[];
let errors: string[];

beforeEach(() => {
  world = new World();
  orderState = 'pending';
  records = [];
  outage = undefined;
  session = { state: 'pending', call: anyCall };
  retried = [];
  reconciledSales = [];
  reconciledCharges = [];
  counted = [];
  errors = [];
  const reading = async <T>(answer: T): Promise<T> => {
    if (outage !== undefined) {
      throw outage;
    }
    return answer;
  };
  platform = new FakePlatform({
    readOrder: () => reading({ state: orderState, call: anyCall }),
    listOrderTransactions: () => reading({ records, call: anyCall }),
    readSession: () => reading(session),
  });
});

const deps = () => ({
  payments: world.payments,
  platformFor: platform.for,
  completeTask: world.completeTask,
  retryTask: async (taskToken: string) => {
    retried.push(taskToken);
  },
  reconcileRfOrder: (id: string, remainingMs: () => number, hints: Hints) =>
    reconcileRfOrder(id, { payments: world.payments, platformFor: platform.for, now: world.now, remainingMs }, hints),
  reconcileSale: async (id: string) => {
    reconciledSales.push(id);
    platform.asked.push({ method: 'readTransaction', request: id });
    return (await world.payments.get('sale', id)) as Sale;
  },
  reconcileCharge: async (id: string) => {
    reconciledCharges.push(id);
    return (await world.payments.get('charge', id)) as Charge;
  },
  now: world.now,
  count: (metric: string) => counted.push(metric),
  onError: (code: string) => errors.push(code),
});

const act = (subject: string) => actOnWebhook.run({ subject }, deps(), world.invocation);
const inbox = async (subject: string) => (await world.payments.get('inbox', subject))!;
const states = async (subject: string) => (await inbox(subject)).messages.map(({ state }: Message) => state);
const order = async () => (await world.payments.get('rf-order', RF_ORDER_ID)) as RfOrder;

/** The order's own next look: what was read once is read again. */
async function lookLater(): Promise<void> {
  world.at += 5 * 60_000;
  await reconcileRfOrder(RF_ORDER_ID, { ...deps(), remainingMs: world.invocation.remainingMs });
}

/** A message comes, and whoever is woken acts. */
async function told(recipient: string, eventTypeId: number, event: object = {}): Promise<void> {
  const message = arrival(recipient, { eventTypeId, ...event });
  const subject = await receive(world.payments, message, world.at);
  if (subject !== undefined) {
    await act(subject);
  }
}

function putOrder(settings: Partial<NewItem<'rf-order'>> = {}): void {
  world.payments.put('rf-order', settings.rfOrderId ?? RF_ORDER_ID, { ...newOrder, ...settings });
  world.payments.put('order-pointer', settings.orderCode ?? ORDER_CODE, {
    merchantId: MERCHANT_ID,
    rfOrderId: settings.rfOrderId ?? RF_ORDER_ID,
  });
}

function pay(): void {
  orderState = 'paid';
  records = [payment];
}

describe('an RF order', () => {
  it.each([
    ['its reference', { subject: RF_ORDER_ID }],
    ['its order code', { subject: ORDER_CODE, orderCode: ORDER_CODE }],
  ])('is paid when a message names %s and the platform’s own records say so', async (_, named) => {
    putOrder();
    pay();

    await told(MERCHANT_ID, 1796, named);

    expect(await order()).toMatchObject({ status: 'paid', amountPaid: 5000 });
    expect(await states(RF_ORDER_ID)).toEqual(['acted']);
    expect((await inbox(RF_ORDER_ID)).dueAt).toBeUndefined();
  });

  it('stays as it is when the platform’s records say nothing, whatever the message says', async () => {
    putOrder();

    await told(MERCHANT_ID, 1796, { subject: ORDER_CODE });

    expect((await order()).status).toBe('pending');
    expect((await inbox(ORDER_CODE)).messages[0]).toMatchObject({ state: 'new', outcome: 'pending' });
  });

  it.each([
    ['pending', {}],
    ['expired', { status: 'expired' as const, endedAt: '2026-11-20T10:00:00.000Z' }],
    [
      'paid before',
      { status: 'paid' as const, amountPaid: 5000, payments: [{ transactionId: 'one', amount: 5000, at: '' }] },
    ],
  ])('that is %s is looked at again until the payment is listed that a message told of', async (_, settings) => {
    putOrder(settings);
    orderState = 'paid';
    const named = { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID };
    await told(MERCHANT_ID, 1796, named);
    expect(await states(RF_ORDER_ID)).toEqual(['new']);
    expect((await inbox(RF_ORDER_ID)).dueAt).toBe(world.seconds(60));

    world.at += 119_000;
    pay();
    await act(RF_ORDER_ID);
    expect(await states(RF_ORDER_ID)).toEqual(['acted']);
    await lookLater();

    expect((await order()).payments.map(({ transactionId }) => transactionId)).toContain(TRANSACTION_ID);
    expect((await order()).status).toBe('paid');
  });

  it('is looked at for what was told a day late, too', async () => {
    putOrder({ status: 'expired' });
    world.at += DAY_MS;
    await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });
    expect(await states(RF_ORDER_ID)).toEqual(['new']);
    pay();
    world.at += 60_000;

    await act(RF_ORDER_ID);

    expect((await order()).readings).toHaveProperty(TRANSACTION_ID);
    expect(await states(RF_ORDER_ID)).toEqual(['acted']);
  });

  it('is not read for what it knows already', async () => {
    putOrder();
    pay();
    await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });
    const reads = platform.asked.length;
    await told('isv', 1796, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });
    await told(MERCHANT_ID, 4865, { subject: ORDER_CODE, orderCode: ORDER_CODE });

    expect(platform.asked).toHaveLength(reads);
    expect(await states(RF_ORDER_ID)).toEqual(['acted', 'acted', 'acted']);
    expect((await inbox(RF_ORDER_ID)).spentUntil).toBe(world.seconds(60));
  });

  it('is looked at once for a payment that failed', async () => {
    putOrder();

    await told(MERCHANT_ID, 1798, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });

    expect(await states(RF_ORDER_ID)).toEqual(['acted']);
    expect(platform.times('readOrder')).toBe(1);
  });

  it('is not looked at for another merchant’s message', async () => {
    putOrder();
    pay();

    await told(OTHER_MERCHANT, 1796, { subject: RF_ORDER_ID });

    expect((await order()).status).toBe('pending');
    expect(platform.asked).toEqual([]);
    expect(await states(RF_ORDER_ID)).toEqual(['ignored']);
  });

  it('is joined by a message that came before its order code was written down', async () => {
    pay();
    await told(MERCHANT_ID, 4865, { subject: ORDER_CODE });
    expect(await states(ORDER_CODE)).toEqual(['parked']);
    expect((await inbox(ORDER_CODE)).dueAt).toBeUndefined();

    putOrder();
    expect(await unpark(world.payments, ORDER_CODE, world.at)).toBe(true);
    expect((await inbox(ORDER_CODE)).dueAt).toBe(world.seconds(0));
    await act(ORDER_CODE);

    expect((await order()).status).toBe('paid');
  });

  it('has only those messages looked into again that were parked for it', async () => {
    await told(MERCHANT_ID, 4865, { subject: ORDER_CODE });
    await told(MERCHANT_ID, 5632, { subject: ORDER_CODE });
    expect(await states(ORDER_CODE)).toEqual(['parked', 'ignored']);

    await unpark(world.payments, ORDER_CODE, world.at);

    expect(await states(ORDER_CODE)).toEqual(['new', 'ignored']);
  });

  it('has nothing looked into where nothing was parked for it', async () => {
    expect(await unpark(world.payments, ORDER_CODE, world.at)).toBe(false);
    await told(MERCHANT_ID, 5632, { subject: ORDER_CODE });
    const { writes } = world.payments;

    expect(await unpark(world.payments, ORDER_CODE, world.at)).toBe(false);

    expect(world.payments.writes).toBe(writes);
  });

  it('is joined by a message whose look it overtook', async () => {
    pay();
    const { get } = world.payments;
    let looked = false;
    world.payments.get = async (kind, id) => {
      const found = await get.call(world.payments, kind, id);
      if (kind === 'order-pointer' && !looked) {
        looked = true;
        putOrder();
        await unpark(world.payments, ORDER_CODE, world.at);
      }
      return found as never;
    };

    await told(MERCHANT_ID, 1796, { subject: ORDER_CODE });

    expect((await order()).status).toBe('paid');
    expect(await states(ORDER_CODE)).toEqual(['acted']);
  });

  it('has the platform’s commission once its record says so, whatever the message says', async () => {
    putOrder();
    pay();
    await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID });
    expect((await order()).commission).toBeUndefined();

    const price = { subject: ORDER_CODE, transactionId: TRANSACTION_ID };
    await told(MERCHANT_ID, 1799, price);
    expect(await states(ORDER_CODE)).toEqual(['new']);

    records = [{ ...payment, commission: 45 }];
    world.at += 60_000;
    await act(ORDER_CODE);
    expect(await states(ORDER_CODE)).toEqual(['acted']);
    await lookLater();

    expect(await order()).toMatchObject({ status: 'paid', commission: 45 });
  });

  describe('that the platform made twice and wrote to the payer about', () => {
    const twin = '9107199254740995';
    const forged = '9107199254740997';
    let shown: TransactionRecord[];

    beforeEach(() => {
      shown = [{ ...payment, orderCode: twin, merchantTrns: `room 12 ${RF_ORDER_ID}` }];
      platform = new FakePlatform({
        readOrder: async () => ({ state: 'pending', call: anyCall }),
        readTransaction: async () => ({ record: shown[0]!, call: anyCall }),
        listOrderTransactions: async (code) => {
          if (code === forged) {
            throw new FaultError('PLATFORM_REFUSED', 'none of yours');
          }
          return { records: shown.filter(({ orderCode }) => orderCode === code), call: anyCall };
        },
      });
    });

    const lists = () => platform.asked.filter(({ method }) => method === 'listOrderTransactions').length;

    it.each([
      ['a payment that names both', { subject: RF_ORDER_ID, orderCode: twin }, 1796],
      ['a movement of the account', { transactionId: TRANSACTION_ID, currency: 'EUR' }, 2054],
    ])('is paid by the other one, too: %s', async (_, named, eventTypeId) => {
      putOrder({ notifyCustomer: true });

      await told(MERCHANT_ID, eventTypeId, named);
      expect(await order()).toMatchObject({ status: 'pending', otherCodes: [twin] });
      await lookLater();

      expect(await order()).toMatchObject({ status: 'paid', amountPaid: 5000 });
    });

    it('is paid although the list shows it later, and others named another order before', async () => {
      const [paid] = shown;
      shown = [];
      putOrder({ notifyCustomer: true });
      await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: forged });
      await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: twin });
      shown = [paid!];
      world.at += 120_000;

      await act(RF_ORDER_ID);
      await lookLater();

      expect((await order()).status).toBe('paid');
    });

    it('is paid by it although its own code was never given', async () => {
      const { orderCode: _, rfCode: __, ...withoutCodes } = newOrder;
      world.payments.put('rf-order', RF_ORDER_ID, { ...withoutCodes, notifyCustomer: true, status: 'cancelled' });

      await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: twin });
      await lookLater();

      expect((await order()).status).toBe('paid');
    });

    it('is told of by what names only the other one, once that has paid', async () => {
      putOrder({ notifyCustomer: true });
      await told(MERCHANT_ID, 1799, { subject: twin, orderCode: twin });
      expect(await states(twin)).toEqual(['parked']);
      await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: twin });
      await lookLater();
      shown = shown.map((record) => ({ ...record, commission: 60 }));

      await act(twin);
      await lookLater();

      expect(await states(twin)).toEqual(['acted']);
      expect(await order()).toMatchObject({ status: 'paid', commission: 60 });
      await told(MERCHANT_ID, 1799, { subject: twin, orderCode: twin, transactionId: TRANSACTION_ID });
      expect(await states(RF_ORDER_ID)).toEqual(['acted', 'acted']);
    });

    it('is not paid by an order with another reference, which is looked into for ten minutes', async () => {
      putOrder({ notifyCustomer: true });
      shown = shown.map((record) => ({ ...record, merchantTrns: 'room 12' }));
      await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: twin });
      expect(await states(RF_ORDER_ID)).toEqual(['new']);

      for (let minute = 0; minute < 20; minute++) {
        world.at += 60_000;
        await act(RF_ORDER_ID);
      }

      expect(await order()).toMatchObject({ status: 'pending', payments: [] });
      expect((await order()).readings).toBeUndefined();
      expect(await world.payments.get('order-pointer', twin)).toBeUndefined();
      expect(await states(RF_ORDER_ID)).toEqual(['acted']);
      expect(lists()).toBeLessThanOrEqual(6);
    });

    it('is read three at a time, however many others messages name', async () => {
      putOrder({ notifyCustomer: true });
      for (let n = 0; n < 3; n++) {
        const orderCode = String(9_107_199_254_741_001n + 2n * BigInt(n));
        const fresh = (eventTypeId: number) =>
          receive(world.payments, arrival(MERCHANT_ID, { eventTypeId, subject: RF_ORDER_ID, orderCode }), world.at);
        await Promise.all([fresh(1796), fresh(1799)]);
      }

      await act(RF_ORDER_ID);

      expect(lists()).toBe(3);
    });

    it('costs no read where the payer was not written to: nobody can pay the other one', async () => {
      putOrder();

      await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: twin });

      expect(lists()).toBe(0);
    });
  });

  it('ends as the records say for every order of its five events, one of them twice and any one lost', async () => {
    const five = [
      { type: 1796, subject: RF_ORDER_ID },
      { type: 1799, subject: ORDER_CODE },
      { type: 2054, subject: TRANSACTION_ID },
      { type: 4865, subject: ORDER_CODE },
      { type: 1797, subject: RF_ORDER_ID },
    ];
    for (const sequence of permutations(five)) {
      const lost = sequence[0]!;
      const twice = sequence[4]!;
      world = new World();
      platform.asked.length = 0;
      putOrder({ dueAt: world.seconds(300) });
      pay();
      for (const { type, subject } of [twice, ...sequence.filter((one) => one !== lost)]) {
        await told(MERCHANT_ID, type, { subject });
      }
      expect(await order()).toMatchObject({ status: 'paid', amountPaid: 5000, overpaid: false });
      expect((await order()).payments).toHaveLength(1);
      expect((await order()).outbox ?? []).toHaveLength(1);
    }
  });
});

describe('messages that nobody sent in truth', () => {
  const reads = () => platform.times('readOrder') + platform.times('listOrderTransactions');
  const forged = (n: number) =>
    n % 2 === 0
      ? { subject: RF_ORDER_ID }
      : { subject: ORDER_CODE, orderCode: ORDER_CODE, transactionId: TRANSACTION_ID };

  it('cost the platform five reads when 10,000 name the same order at once, and change nothing', async () => {
    putOrder();
    const before = await order();

    for (let n = 0; n < 10_000; n++) {
      await told(MERCHANT_ID, 1796 + (n % 4), forged(n));
    }

    expect(reads()).toBe(5);
    expect({ ...(await order()), dueAt: before.dueAt }).toEqual(before);
    expect((await inbox(RF_ORDER_ID)).messages.length).toBeLessThanOrEqual(20);
  });

  it('cost one look more each minute they go on, and a few afterwards, then none', async () => {
    putOrder();
    for (let second = 0; second < 600; second++) {
      for (let n = 0; n < 16; n++) {
        await told(MERCHANT_ID, 1796 + (n % 4), forged(n));
      }
      world.at += 1_000;
    }
    expect(reads()).toBeLessThanOrEqual(5 + 10);

    for (let minute = 0; minute < 120; minute++) {
      world.at += 60_000;
      await act(RF_ORDER_ID);
    }

    expect(reads()).toBeLessThanOrEqual(5 + 10 + 16);
    expect(await states(RF_ORDER_ID)).not.toContain('new');
    expect((await inbox(RF_ORDER_ID)).dueAt).toBeUndefined();
  });

  it('do not keep a genuine one waiting that follows within a second', async () => {
    putOrder();
    for (let n = 0; n < 4; n++) {
      await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID });
    }
    world.at += 1_000;
    pay();

    await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });

    expect((await order()).status).toBe('paid');
  });

  it('do not make a genuine one be forgotten that finds no look left', async () => {
    putOrder();
    for (let n = 0; n < 1_000; n++) {
      await told(MERCHANT_ID, 1796, forged(n));
    }
    await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });
    pay();
    world.at += 60_000;

    await act(RF_ORDER_ID);

    expect((await order()).status).toBe('paid');
  });

  it('cost the platform nothing when they name nothing of ours', async () => {
    putOrder();

    for (let n = 0; n < 500; n++) {
      await told('isv', 1796, { subject: `7e6c1f8e-5b0f-4c57-9a53-${String(n).padStart(12, '0')}` });
      await told(MERCHANT_ID, 1799, { subject: String(1_000_000_000_000_000 + n) });
    }

    expect(platform.asked).toEqual([]);
    expect(await states('1000000000000000')).toEqual(['parked']);
  });

  it('are looked into less and less often, and at last not any more', async () => {
    putOrder();
    await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID });
    const reads: number[] = [];
    while ((await inbox(RF_ORDER_ID)).dueAt !== undefined) {
      const { dueAt = '' } = await inbox(RF_ORDER_ID);
      world.at = Date.parse(dueAt);
      reads.push((world.at - START) / 60_000);
      await act(RF_ORDER_ID);
    }

    expect(reads).toEqual([1, 2, 4, 8, 16]);
    expect(await states(RF_ORDER_ID)).toEqual(['acted']);
  });
});

describe('a movement of the account', () => {
  const moved = { subject: TRANSACTION_ID, transactionId: TRANSACTION_ID, currency: 'EUR' };
  const reading = (record: () => TransactionRecord) =>
    new FakePlatform({
      readTransaction: async () => ({ record: record(), call: anyCall }),
      readOrder: async () => ({ state: orderState, call: anyCall }),
      listOrderTransactions: async () => ({ records, call: anyCall }),
    });

  it('settles the order that the platform names for its transaction', async () => {
    putOrder({ dueAt: world.seconds(3600) });
    pay();
    platform = reading(() => payment);

    await told(MERCHANT_ID, 2054, moved);

    expect((await order()).status).toBe('paid');
    expect(await states(TRANSACTION_ID)).toEqual(['acted']);
  });

  it('is noted by the order although no list shows it yet', async () => {
    putOrder({ status: 'expired' });
    platform = reading(() => payment);

    await told(MERCHANT_ID, 2054, moved);
    expect((await order()).readings).toHaveProperty(TRANSACTION_ID);
    records = [payment];
    await lookLater();

    expect((await order()).status).toBe('paid');
  });

  it('stays new while its transaction is not visible, and then has pending orders read back', async () => {
    putOrder({ dueAt: world.seconds(36_000) });
    platform = reading(() => {
      throw new TransientError('TRANSACTION_NOT_VISIBLE', 'none');
    });
    await told(MERCHANT_ID, 2054, moved);
    expect(await states(TRANSACTION_ID)).toEqual(['new']);

    world.at += 11 * 60_000;
    await act(TRANSACTION_ID);

    expect(await states(TRANSACTION_ID)).toEqual(['acted']);
    expect((await order()).dueAt).toBe(new Date(world.at).toISOString());
  });

  it('of a card leaves the pending orders alone', async () => {
    putOrder({ dueAt: world.seconds(3600) });
    const before = await order();
    platform = reading(() => ({ ...payment, orderCode: '9107199254740995', merchantTrns: SALE_ID }));

    await told(MERCHANT_ID, 2054, moved);

    expect(await order()).toEqual(before);
    expect((await inbox(TRANSACTION_ID)).messages[0]).toMatchObject({ state: 'acted', outcome: 'another payment' });
  });

  it('has the pending orders of that account and currency read back soon, five at most', async () => {
    for (let n = 0; n < 7; n++) {
      putOrder({ rfOrderId: `rf-${n}`, orderCode: `${n}`, dueAt: world.seconds(3600) });
    }

    await told(MERCHANT_ID, 2054, { currency: 'EUR' });

    const orders = await Promise.all(Array.from({ length: 7 }, (_, n) => world.payments.get('rf-order', `rf-${n}`)));
    expect(orders.filter((one) => one?.dueAt === world.seconds(0))).toHaveLength(5);
    expect(platform.asked).toEqual([]);
  });

  it('has a look five times at once of one account, and then once a minute, whatever it names', async () => {
    platform = reading(() => ({ ...payment, orderCode: '9107199254740995' }));
    const move = (n: number) =>
      told(MERCHANT_ID, 2054, { ...moved, subject: `6f1f7a52-0000-4c53-8f1c-${String(n).padStart(12, '0')}` });
    for (let n = 0; n < 1_000; n++) {
      await move(n);
    }
    expect(platform.times('readTransaction')).toBe(5);

    world.at += 120_000;
    for (let n = 1_000; n < 1_100; n++) {
      await move(n);
    }

    expect(platform.times('readTransaction')).toBe(7);
  });

  it('of one merchant has no order of another read, whatever its reference', async () => {
    putOrder();
    const account = (await world.payments.get('account', MERCHANT_ID))!;
    world.payments.put('account', OTHER_MERCHANT, { ...account, merchantId: OTHER_MERCHANT });
    platform = reading(() => ({ ...payment, merchantTrns: RF_ORDER_ID }));

    await told(OTHER_MERCHANT, 2054, moved);

    expect(platform.asked.map(({ method }) => method)).toEqual(['readTransaction']);
  });

  it('in another currency, or of an account nobody has, leaves alone what cannot be meant', async () => {
    putOrder({ dueAt: world.seconds(3600) });
    const before = await order();

    await told(MERCHANT_ID, 2054, { currency: 'RON' });
    await told(OTHER_MERCHANT, 2054, { currency: 'EUR' });

    expect(await order()).toEqual(before);
  });
});

describe('a reversal that names nothing of ours', () => {
  const CHILD = '0e1f2a3b-4c5d-4e6f-8a7b-9c0d1e2f3a4b';
  const CARD_ORDER = '1234567890123456';
  const told1797 = () => told(MERCHANT_ID, 1797, { subject: CARD_ORDER, orderCode: CARD_ORDER, transactionId: CHILD });
  let visible: Record<string, TransactionRecord>;
  const original = { ...payment, orderCode: CARD_ORDER, merchantTrns: `room 12 ${SALE_ID}`, statusId: 'R' };
  const child = { ...payment, transactionId: CHILD, parentId: TRANSACTION_ID, orderCode: CARD_ORDER, merchantTrns: '' };

  beforeEach(() => {
    visible = { [CHILD]: child, [TRANSACTION_ID]: original };
    platform = new FakePlatform({
      readTransaction: async (id) => {
        const record = visible[id];
        if (record === undefined) {
          throw new TransientError('TRANSACTION_NOT_VISIBLE', 'not yet');
        }
        return { record, call: anyCall };
      },
    });
  });

  it('has the sale settled whose payment is the transaction’s parent', async () => {
    world.putSale({ status: 'paid', transactionId: TRANSACTION_ID });

    await told1797();

    expect(reconciledSales).toEqual([SALE_ID]);
  });

  it('has the charge settled whose capture is the transaction’s parent', async () => {
    world.putCharge({ status: 'charged', sentAt: world.seconds(-600), transactionId: TRANSACTION_ID });
    const CAPTURE = '3c4d5e6f-7a8b-4c9d-8e0f-1a2b3c4d5e6f';
    visible[CHILD] = { ...child, parentId: CAPTURE };
    visible[CAPTURE] = { ...child, transactionId: CAPTURE };
    visible[TRANSACTION_ID] = { ...original, merchantTrns: CHARGE_ID };

    await told1797();

    expect(reconciledCharges).toEqual([CHARGE_ID]);
  });

  it('is looked into again while its transaction is not visible, and not for ever', async () => {
    world.putSale({ status: 'paid', transactionId: TRANSACTION_ID });
    delete visible[CHILD];
    await told1797();
    expect(await states(CARD_ORDER)).toEqual(['new']);
    visible[CHILD] = child;
    world.at += 60_000;
    await act(CARD_ORDER);
    expect(reconciledSales).toEqual([SALE_ID]);

    delete visible[CHILD];
    world.at += 600_000;
    await act(CARD_ORDER);
    expect(await states(CARD_ORDER)).toEqual(['acted']);
  });

  it('waits for a look of its account where others have spent them', async () => {
    world.putSale({ status: 'paid', transactionId: TRANSACTION_ID });
    for (let n = 0; n < 5; n++) {
      await told(MERCHANT_ID, 2054, { subject: `movement ${n}`, currency: 'EUR' });
    }
    await told1797();
    expect(reconciledSales).toEqual([]);
    expect(await states(CARD_ORDER)).toEqual(['new']);

    world.at += 60_000;
    await act(CARD_ORDER);

    expect(reconciledSales).toEqual([SALE_ID]);
  });

  it.each([
    ['a payment that is not ours', { merchantTrns: 'lunch' }],
    ['a family that is too long', { merchantTrns: 'lunch', parentId: CHILD }],
  ])('costs three reads at most: %s', async (_, record) => {
    world.putSale({ status: 'paid', transactionId: TRANSACTION_ID });
    visible[TRANSACTION_ID] = { ...original, ...record };

    await told1797();

    expect(platform.times('readTransaction')).toBeLessThanOrEqual(3);
    expect(reconciledSales).toEqual([]);
    expect(await states(CARD_ORDER)).toEqual(['acted']);
  });

  it.each([
    ['isv', MERCHANT_ID, [SALE_ID]],
    ['isv', OTHER_MERCHANT, []],
    ['merchant', MERCHANT_ID, []],
  ] as const)(
    'that came by the ISV’s path has a sale of its own merchant settled: %s, %s',
    async (mode, merchantId, settled) => {
      world.putSale({ status: 'paid', transactionId: TRANSACTION_ID });
      await world.payments.change('account', MERCHANT_ID, () => ({ mode }));

      await told('isv', 1797, { subject: CARD_ORDER, orderCode: CARD_ORDER, transactionId: CHILD, merchantId });

      expect(reconciledSales).toEqual(settled);
      expect(await states(CARD_ORDER)).toEqual([settled.length > 0 ? 'new' : 'parked']);
    },
  );

  it('of one merchant has no sale of another settled', async () => {
    world.putSale({ status: 'paid', transactionId: TRANSACTION_ID, merchantId: OTHER_MERCHANT });

    await told1797();

    expect(reconciledSales).toEqual([]);
  });
});

describe('a charge', () => {
  const later = (seconds: number) => {
    world.at = START + seconds * 1_000;
  };
  const CAPTURE_ID = '7e6c1f8e-5b0f-8c57-9a53-0a1b6f2f7f21';
  const sent = { status: 'processing' as const, sentAt: new Date(START).toISOString() };

  it('that is being sent keeps its messages until it has its outcome, and asks the platform for nothing', async () => {
    world.putCharge(sent);
    await told(MERCHANT_ID, 1796, { subject: CHARGE_ID, transactionId: TRANSACTION_ID });
    expect((await inbox(CHARGE_ID)).messages[0]).toMatchObject({ state: 'new', outcome: 'being sent' });
    expect(await inbox(CHARGE_ID)).toMatchObject({ dueAt: world.seconds(60), spentUntil: world.seconds(0) });

    const answered = { status: 'charged' as const, transactionId: TRANSACTION_ID };
    await world.payments.change('charge', CHARGE_ID, () => answered);
    later(60);
    await act(CHARGE_ID);

    expect(await states(CHARGE_ID)).toEqual(['acted']);
    expect(reconciledCharges).toEqual([]);
  });

  it('that was sent and not answered is settled by its message once no answer can come', async () => {
    world.putCharge(sent);
    await told(MERCHANT_ID, 1798, { subject: CHARGE_ID, transactionId: TRANSACTION_ID });
    expect(reconciledCharges).toEqual([]);
    later(61);
    await act(CHARGE_ID);

    expect(reconciledCharges).toEqual([CHARGE_ID]);
  });

  it.each([
    ['charged', 1796, TRANSACTION_ID, 0],
    ['charged', 1796, undefined, 1],
    ['charged', 1797, OTHER_MERCHANT, 1],
    ['charged', 1799, OTHER_MERCHANT, 0],
    ['refunded', 1797, OTHER_MERCHANT, 0],
    ['declined', 1796, OTHER_MERCHANT, 1],
    ['declined', 1798, OTHER_MERCHANT, 0],
    ['needs_review', 1798, OTHER_MERCHANT, 1],
  ] as const)(
    'that is %s is settled for event %i of transaction %s: %i times',
    async (status, eventTypeId, named, times) => {
      const known = status === 'charged' && { transactionId: TRANSACTION_ID };
      world.putCharge({ ...sent, status, ...known });
      later(90);

      await told(MERCHANT_ID, eventTypeId, { subject: CHARGE_ID, ...(named && { transactionId: named }) });

      expect(reconciledCharges).toHaveLength(times);
      const tells = times > 0 && eventTypeId !== 1798;
      expect(await states(CHARGE_ID)).toEqual([tells || status === 'needs_review' ? 'new' : 'acted']);
    },
  );

  it('that was never sent is not looked for, whatever a message says', async () => {
    world.putCharge();

    await told(MERCHANT_ID, 1796, { subject: CHARGE_ID, transactionId: TRANSACTION_ID });

    expect(reconciledCharges).toEqual([]);
    expect(await states(CHARGE_ID)).toEqual(['acted']);
  });

  it('is looked for until what was told of it cannot appear any more', async () => {
    world.putCharge({ ...sent, status: 'declined' });
    later(90);
    await told(MERCHANT_ID, 1796, { subject: CHARGE_ID, transactionId: TRANSACTION_ID });

    for (let minute = 0; minute < 20; minute++) {
      world.at += 60_000;
      await act(CHARGE_ID);
    }

    expect(reconciledCharges).toHaveLength(6);
    expect(await states(CHARGE_ID)).toEqual(['acted']);
  });

  it.each([
    ['a capture', CAPTURE_ID],
    ['a void', '7e6c1f8e-5b0f-8c57-9a53-0a1b6f2f7f22'],
  ])('is found by what tells of %s of it', async (_, actId) => {
    world.putCharge({ ...sent, status: 'authorized', transactionId: TRANSACTION_ID });
    later(90);
    const MerchantTrns = actReference('room 12', CHARGE_ID, actId);
    const event = readEvent(Buffer.from(envelope(1797, { MerchantTrns, TransactionId: OTHER_MERCHANT })));

    expect(event.subject).toBe(CHARGE_ID);
    await told(MERCHANT_ID, 1797, event);

    expect(reconciledCharges).toEqual([CHARGE_ID]);
  });

  it('whose capture or void is being sent keeps its messages, too', async () => {
    const capture = { captureId: CAPTURE_ID, amount: 4000, isvAmount: 0, requestedAt: world.seconds(0) };
    const hold = { ...sent, status: 'authorized' as const, transactionId: TRANSACTION_ID };
    const news = { subject: CHARGE_ID, transactionId: OTHER_MERCHANT };
    later(100);
    world.putCharge({ ...hold, captures: [{ ...capture, status: 'pending', sentAt: world.seconds(90) }] });
    await told(MERCHANT_ID, 1796, news);
    world.putCharge({ ...hold, voidSentAt: world.seconds(90) });
    await told(MERCHANT_ID, 1797, news);
    expect(reconciledCharges).toEqual([]);

    later(170);
    await act(CHARGE_ID);
    expect(reconciledCharges).toEqual([CHARGE_ID]);
    world.putCharge({
      ...hold,
      captures: [{ ...capture, status: 'done', transactionId: OTHER_MERCHANT.toUpperCase() }],
    });
    later(300);
    await act(CHARGE_ID);

    expect(reconciledCharges).toEqual([CHARGE_ID]);
    expect(await states(CHARGE_ID)).toEqual(['acted', 'acted']);
  });

  it('of another merchant is left alone', async () => {
    world.putCharge({ ...sent, status: 'declined' });

    await told(OTHER_MERCHANT, 1796, { subject: CHARGE_ID, transactionId: TRANSACTION_ID });

    expect(reconciledCharges).toEqual([]);
    expect(await states(CHARGE_ID)).toEqual(['ignored']);
  });
});

describe('a sale', () => {
  it('goes on at once when its terminal approved, and only once', async () => {
    world.putSale({ status: 'awaiting_card', taskToken: 'task-1' });
    session = approved;

    await told(MERCHANT_ID, 1802, { subject: SALE_ID });
    await told(MERCHANT_ID, 1796, { subject: SALE_ID });

    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', transactionId: TRANSACTION_ID });
    expect(world.completed).toEqual(['task-1']);
    expect(await world.leasedUntil()).toBe(world.seconds(0));
    expect(platform.times('readSession')).toBe(1);
    expect(retried).toEqual([]);
  });

  it('ends at once when its terminal declined', async () => {
    world.putSale({ status: 'awaiting_card', taskToken: 'task-1' });
    session = declined;

    await told(MERCHANT_ID, 1803, { subject: SALE_ID });

    expect(await world.sale()).toMatchObject({ status: 'declined', failure: { code: 'CARD_DECLINED' } });
    expect(retried).toEqual(['task-1']);
    expect(world.completed).toEqual([]);
  });

  it('is left to wait when its terminal has none', async () => {
    world.putSale({ status: 'awaiting_card', taskToken: 'task-1' });

    await told(MERCHANT_ID, 1796, { subject: SALE_ID });
    await told(MERCHANT_ID, 1796, { subject: SALE_ID });

    expect(retried).toEqual([]);
    expect(platform.times('readSession')).toBe(2);
  });

  it.each([
    ['tokenized', 1796, 0, 'acted'],
    ['tokenized', 1797, 1, 'new'],
    ['paid', 1802, 0, 'acted'],
    ['paid', 1797, 1, 'new'],
    ['refunded', 1797, 0, 'acted'],
    ['reversed', 1797, 0, 'acted'],
    ['reversed', 1796, 0, 'acted'],
    ['needs_review', 1797, 1, 'new'],
    ['needs_review', 1798, 1, 'new'],
    ['expired', 1802, 1, 'new'],
    ['declined', 1798, 0, 'acted'],
    ['declined', 1797, 1, 'new'],
    ['declined', 1803, 0, 'acted'],
    ['declined', 1796, 1, 'new'],
    ['unconfirmed', 1798, 1, 'acted'],
    ['needs_review', 1796, 1, 'new'],
  ] as const)('that is %s is read again for event %i: %i times', async (status, eventTypeId, times, state) => {
    world.putSale({ status });

    await told(MERCHANT_ID, eventTypeId, { subject: SALE_ID });

    expect(platform.times('readTransaction')).toBe(times);
    expect(await states(SALE_ID)).toEqual([state]);
  });

  it('that ended unpaid is looked into until the platform has surely listed what it told of', async () => {
    world.putSale({ status: 'declined' });
    await told(MERCHANT_ID, 1796, { subject: SALE_ID });

    for (let minute = 0; minute < 20; minute++) {
      world.at += 60_000;
      await act(SALE_ID);
    }

    expect(platform.times('readTransaction')).toBe(6);
    expect(await states(SALE_ID)).toEqual(['acted']);
  });
});

describe('a look that fails', () => {
  it('is made again, later each time, and given up after a day with the reason', async () => {
    putOrder();
    outage = new TransientError('NO_CLEAR_ANSWER', 'the platform is away');
    await told(MERCHANT_ID, 1796, { subject: ORDER_CODE });
    expect((await inbox(ORDER_CODE)).dueAt).toBe(world.seconds(60));

    let reads = 0;
    while ((await inbox(ORDER_CODE)).dueAt !== undefined) {
      world.at = Date.parse((await inbox(ORDER_CODE)).dueAt!);
      await act(ORDER_CODE);
      reads++;
    }

    expect(reads).toBeLessThan(35);
    expect(world.at).toBeGreaterThanOrEqual(START + DAY_MS);
    expect((await inbox(ORDER_CODE)).messages[0]).toMatchObject({ state: 'needs_review', outcome: 'NO_CLEAR_ANSWER' });
    expect(counted).toEqual(['WebhookGivenUp']);
    expect((await order()).status).toBe('pending');
  });

  it('loses nothing: the order is paid as soon as the platform answers', async () => {
    putOrder();
    pay();
    outage = new TransientError('NO_CLEAR_ANSWER', 'the platform is away');
    await told(MERCHANT_ID, 1796, { subject: ORDER_CODE });
    outage = undefined;

    await act(ORDER_CODE);
    expect((await order()).status).toBe('pending');
    world.at += 60_000;
    await act(ORDER_CODE);

    expect((await order()).status).toBe('paid');
    expect(errors).toEqual(['NO_CLEAR_ANSWER']);
  });

  it('that never ended is made again when whoever made it is surely gone', async () => {
    putOrder();
    pay();
    await receive(world.payments, arrival(MERCHANT_ID, { eventTypeId: 1796, subject: ORDER_CODE }), world.at);
    await world.payments.change('inbox', ORDER_CODE, ({ messages }) => ({
      actingUntil: world.seconds(90),
      dueAt: world.seconds(90),
      messages: messages.map((one) => ({ ...one, attempts: 1 })),
    }));

    await act(ORDER_CODE);
    expect((await order()).status).toBe('pending');
    world.at += 90_000;
    await act(ORDER_CODE);

    expect((await order()).status).toBe('paid');
  });
});

it('reads the platform once when many act on one subject at the same time', async () => {
  putOrder();
  await receive(world.payments, arrival(MERCHANT_ID, { eventTypeId: 1796, subject: ORDER_CODE }), world.at);

  await Promise.all(Array.from({ length: 20 }, () => act(ORDER_CODE)));

  expect(platform.times('readOrder')).toBe(1);
});

describe('a message that an operator has acted on again', () => {
  it('is looked into at once, and for as long as a new one', async () => {
    putOrder({ status: 'expired' });
    await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });
    await told(MERCHANT_ID, 5632, { subject: RF_ORDER_ID });
    world.at += 2 * DAY_MS;
    await act(RF_ORDER_ID);
    expect(await states(RF_ORDER_ID)).toEqual(['acted', 'ignored']);
    const reads = platform.times('listOrderTransactions');

    const { count, patch } = requeued(await inbox(RF_ORDER_ID), () => true, world.at);
    expect(count).toBe(1);
    expect(patch?.messages?.map(({ state, attempts }) => [state, attempts])).toEqual([
      ['new', 0],
      ['ignored', 0],
    ]);
    await world.payments.change('inbox', RF_ORDER_ID, () => patch);
    await act(RF_ORDER_ID);

    expect(platform.times('listOrderTransactions')).toBe(reads + 1);
    expect(await states(RF_ORDER_ID)).toEqual(['new', 'ignored']);
    expect((await inbox(RF_ORDER_ID)).dueAt).toBe(new Date(world.at + 60_000).toISOString());
  });

  it('is none when none is picked', async () => {
    putOrder();
    await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID });

    expect(requeued(await inbox(RF_ORDER_ID), () => false, world.at)).toEqual({ count: 0, patch: undefined });
  });
});

it('logs nothing of what it was asked to look at: an order code is all it takes to pay', () => {
  expect(actOnWebhook.logged?.({ subject: ORDER_CODE })).toEqual({});
});

function permutations<T>(items: readonly T[]): T[][] {
  return items.length < 2
    ? [[...items]]
    : items.flatMap((item) => permutations(items.filter((one) => one !== item)).map((rest) => [item, ...rest]));
}

const declined: Session = {
  state: 'finished',
  call: anyCall,
  success: false,
  eventId: 1006,
  amount: 1500,
  currency: 'EUR',
  terminalId: '16001369',
  receipt: {},
};

const approved: Session = { ...declined, success: true, eventId: 0, transactionId: TRANSACTION_ID };

const payment: TransactionRecord = {
  transactionId: TRANSACTION_ID,
  amount: 5000,
  currency: 'EUR',
  merchantId: MERCHANT_ID satisfies Account['merchantId'],
  statusId: 'F',
  transactionTypeId: 15,
  orderCode: ORDER_CODE,
};

const newOrder: NewItem<'rf-order'> = {
  rfOrderId: RF_ORDER_ID,
  merchantId: MERCHANT_ID,
  amount: 5000,
  currency: 'EUR',
  disableExactAmount: false,
  expiresInSeconds: 432_000,
  isvAmount: 0,
  notifyCustomer: false,
  status: 'pending',
  orderCode: ORDER_CODE,
  rfCode: 'RF18539007547034',
  expiresAt: new Date(START + 432_000_000).toISOString(),
  amountPaid: 0,
  payments: [],
  late: false,
  overpaid: false,
  origin: { requestHash: 'hash' },
  timeline: [],
};
