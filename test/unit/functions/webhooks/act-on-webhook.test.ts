import { beforeEach, describe, expect, it } from 'vitest';
import { actOnWebhook } from '../../../../functions/webhooks/act-on-webhook/step.ts';
import { FaultError, TransientError } from '../../../../shared/flow/errors.ts';
import type { Account } from '../../../../shared/payments/items/account.ts';
import type { Webhook } from '../../../../shared/payments/items/inbox.ts';
import type { RfOrder } from '../../../../shared/payments/items/rf-order.ts';
import type { PublishedKind } from '../../../../shared/payments/outbox.ts';
import { actReference } from '../../../../shared/payments/references.ts';
import type { NewItem } from '../../../../shared/payments/store.ts';
import { reconcileRfOrder } from '../../../../shared/reconciliation/rf-order/reconcile.ts';
import type { OrderRecord, Session, TransactionRecord } from '../../../../shared/viva/viva.ts';
import { requeued, storeWebhook, unpark } from '../../../../shared/webhooks/inbox.ts';
import { readWebhook } from '../../../../shared/webhooks/webhook.ts';
import { anyCall, FakeViva } from '../../../fakes/viva.ts';
import { envelope, ORDER_CODE, RF_ORDER_ID, receivedWebhook, TRANSACTION_ID } from '../../../fakes/webhooks.ts';
import { CHARGE_ID, MERCHANT_ID, SALE_ID, World } from '../../../fakes/world.ts';

const OTHER_MERCHANT = '1b9e7f60-3c2d-4e5f-8a6b-7c8d9e0f1a2b';
const START = new World().at;
const DAY_MS = 24 * 3_600_000;

let world: World;
let orderState: OrderRecord['state'];
let records: TransactionRecord[];
let outage: Error | undefined;
let viva: FakeViva;
let session: Session;
let retried: string[];
/** The ids of the items that were reconciled, and then published. */
let reconciled: Record<PublishedKind, string[]>;
let counted: string[];
let errors: string[];

beforeEach(() => {
  world = new World();
  orderState = 'pending';
  records = [];
  outage = undefined;
  session = { state: 'pending', call: anyCall };
  retried = [];
  reconciled = { sale: [], charge: [], 'rf-order': [] };
  counted = [];
  errors = [];
  const reading = async <T>(answer: T): Promise<T> => {
    if (outage !== undefined) {
      throw outage;
    }
    return answer;
  };
  viva = new FakeViva({
    readOrder: () => reading({ state: orderState, call: anyCall }),
    listOrderTransactions: () => reading({ records, call: anyCall }),
    readSession: () => reading(session),
  });
});

const deps = () => ({
  payments: world.payments,
  vivaFor: viva.for,
  completeTask: world.completeTask,
  retryTask: async (taskToken: string) => {
    retried.push(taskToken);
  },
  publish: async (kind: PublishedKind, id: string) => {
    reconciled[kind].push(id);
  },
  now: world.now,
  count: (metric: string) => counted.push(metric),
  onError: (code: string) => errors.push(code),
});

const act = (subject: string) => actOnWebhook.run({ subject }, deps(), world.invocation);
const inbox = async (subject: string) => (await world.payments.get('inbox', subject))!;
const states = async (subject: string) => (await inbox(subject)).webhooks.map(({ state }: Webhook) => state);
const order = async () => (await world.payments.get('rf-order', RF_ORDER_ID)) as RfOrder;

/** Reconciles the order five minutes later, so that a second reading can agree with the first. */
async function reconcileLater(): Promise<void> {
  world.at += 5 * 60_000;
  await reconcileRfOrder(RF_ORDER_ID, { ...deps(), remainingMs: world.invocation.remainingMs });
}

/** Delivers a webhook, and acts on its subject if receiving it asks for that. */
async function deliver(recipient: string, eventTypeId: number, body: object = {}): Promise<void> {
  const webhook = receivedWebhook(recipient, { eventTypeId, ...body });
  const subject = await storeWebhook(world.payments, webhook, world.at);
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

describe('a webhook about an RF order', () => {
  it.each([
    ['its reference', { subject: RF_ORDER_ID }],
    ['its order code', { subject: ORDER_CODE, orderCode: ORDER_CODE }],
  ])('makes the order paid when it names %s and the platform’s records confirm the payment', async (_, named) => {
    putOrder();
    pay();

    await deliver(MERCHANT_ID, 1796, named);

    expect(await order()).toMatchObject({ status: 'paid', amountPaid: 5000 });
    expect(await states(RF_ORDER_ID)).toEqual(['acted']);
    expect((await inbox(RF_ORDER_ID)).dueAt).toBeUndefined();
  });

  it('changes nothing when the platform’s records do not confirm it', async () => {
    putOrder();

    await deliver(MERCHANT_ID, 1796, { subject: ORDER_CODE });

    expect((await order()).status).toBe('pending');
    expect((await inbox(ORDER_CODE)).webhooks[0]).toMatchObject({ state: 'new', outcome: 'pending' });
  });

  it.each([
    ['pending', {}],
    ['expired', { status: 'expired' as const, endedAt: '2026-11-20T10:00:00.000Z' }],
    [
      'already paid',
      { status: 'paid' as const, amountPaid: 5000, payments: [{ transactionId: 'one', amount: 5000, at: '' }] },
    ],
  ])('is acted on for an order that is %s until the reported payment is listed', async (_, settings) => {
    putOrder(settings);
    orderState = 'paid';
    const named = { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID };
    await deliver(MERCHANT_ID, 1796, named);
    expect(await states(RF_ORDER_ID)).toEqual(['new']);
    expect((await inbox(RF_ORDER_ID)).dueAt).toBe(world.seconds(60));

    world.at += 119_000;
    pay();
    await act(RF_ORDER_ID);
    expect(await states(RF_ORDER_ID)).toEqual(['acted']);
    await reconcileLater();

    expect((await order()).payments.map(({ transactionId }) => transactionId)).toContain(TRANSACTION_ID);
    expect((await order()).status).toBe('paid');
  });

  it('is acted on although it reports a payment a day late', async () => {
    putOrder({ status: 'expired' });
    world.at += DAY_MS;
    await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });
    expect(await states(RF_ORDER_ID)).toEqual(['new']);
    pay();
    world.at += 60_000;

    await act(RF_ORDER_ID);

    expect((await order()).readings).toHaveProperty(TRANSACTION_ID);
    expect(await states(RF_ORDER_ID)).toEqual(['acted']);
  });

  it('causes no read of what the order already records', async () => {
    putOrder();
    pay();
    await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });
    const reads = viva.asked.length;
    await deliver('isv', 1796, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });
    await deliver(MERCHANT_ID, 4865, { subject: ORDER_CODE, orderCode: ORDER_CODE });

    expect(viva.asked).toHaveLength(reads);
    expect(await states(RF_ORDER_ID)).toEqual(['acted', 'acted', 'acted']);
    expect((await inbox(RF_ORDER_ID)).spentUntil).toBe(world.seconds(60));
  });

  it('about a failed payment causes one reconciliation', async () => {
    putOrder();

    await deliver(MERCHANT_ID, 1798, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });

    expect(await states(RF_ORDER_ID)).toEqual(['acted']);
    expect(viva.times('readOrder')).toBe(1);
  });

  it('of another merchant causes no read', async () => {
    putOrder();
    pay();

    await deliver(OTHER_MERCHANT, 1796, { subject: RF_ORDER_ID });

    expect((await order()).status).toBe('pending');
    expect(viva.asked).toEqual([]);
    expect(await states(RF_ORDER_ID)).toEqual(['ignored']);
  });

  it('that arrived before the order code was stored is acted on once it is stored', async () => {
    pay();
    await deliver(MERCHANT_ID, 4865, { subject: ORDER_CODE });
    expect(await states(ORDER_CODE)).toEqual(['parked']);
    expect((await inbox(ORDER_CODE)).dueAt).toBeUndefined();

    putOrder();
    expect(await unpark(world.payments, ORDER_CODE, world.at)).toBe(true);
    expect((await inbox(ORDER_CODE)).dueAt).toBe(world.seconds(0));
    await act(ORDER_CODE);

    expect((await order()).status).toBe('paid');
  });

  it('is the only kind acted on again when the order code is stored: ignored ones stay ignored', async () => {
    await deliver(MERCHANT_ID, 4865, { subject: ORDER_CODE });
    await deliver(MERCHANT_ID, 5632, { subject: ORDER_CODE });
    expect(await states(ORDER_CODE)).toEqual(['parked', 'ignored']);

    await unpark(world.payments, ORDER_CODE, world.at);

    expect(await states(ORDER_CODE)).toEqual(['new', 'ignored']);
  });

  it('causes no write when none was parked for the order', async () => {
    expect(await unpark(world.payments, ORDER_CODE, world.at)).toBe(false);
    await deliver(MERCHANT_ID, 5632, { subject: ORDER_CODE });
    const { writes } = world.payments;

    expect(await unpark(world.payments, ORDER_CODE, world.at)).toBe(false);

    expect(world.payments.writes).toBe(writes);
  });

  it('is acted on when the order code is stored while it is being parked', async () => {
    pay();
    const { get } = world.payments;
    let overtaken = false;
    world.payments.get = async (kind, id) => {
      const found = await get.call(world.payments, kind, id);
      if (kind === 'order-pointer' && !overtaken) {
        overtaken = true;
        putOrder();
        await unpark(world.payments, ORDER_CODE, world.at);
      }
      return found as never;
    };

    await deliver(MERCHANT_ID, 1796, { subject: ORDER_CODE });

    expect((await order()).status).toBe('paid');
    expect(await states(ORDER_CODE)).toEqual(['acted']);
  });

  it('adds the platform’s commission once the record contains it, whatever the webhook says', async () => {
    putOrder();
    pay();
    await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID });
    expect((await order()).commission).toBeUndefined();

    const price = { subject: ORDER_CODE, transactionId: TRANSACTION_ID };
    await deliver(MERCHANT_ID, 1799, price);
    expect(await states(ORDER_CODE)).toEqual(['new']);

    records = [{ ...payment, commission: 45 }];
    world.at += 60_000;
    await act(ORDER_CODE);
    expect(await states(ORDER_CODE)).toEqual(['acted']);
    await reconcileLater();

    expect(await order()).toMatchObject({ status: 'paid', commission: 45 });
  });

  describe('for an order that the platform created twice and sent to the payer', () => {
    const twin = '9107199254740995';
    const forged = '9107199254740997';
    let shown: TransactionRecord[];

    beforeEach(() => {
      shown = [{ ...payment, orderCode: twin, merchantTrns: `room 12 ${RF_ORDER_ID}` }];
      viva = new FakeViva({
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

    const lists = () => viva.asked.filter(({ method }) => method === 'listOrderTransactions').length;

    it.each([
      ['a payment that names both orders', { subject: RF_ORDER_ID, orderCode: twin }, 1796],
      ['a movement of the account', { transactionId: TRANSACTION_ID, currency: 'EUR' }, 2054],
    ])('makes the order paid by the second one: %s', async (_, named, eventTypeId) => {
      putOrder({ notifyCustomer: true });

      await deliver(MERCHANT_ID, eventTypeId, named);
      expect(await order()).toMatchObject({ status: 'pending', otherCodes: [twin] });
      await reconcileLater();

      expect(await order()).toMatchObject({ status: 'paid', amountPaid: 5000 });
    });

    it('finds the payment although it is listed late and earlier webhooks named other orders', async () => {
      const [paid] = shown;
      shown = [];
      putOrder({ notifyCustomer: true });
      await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: forged });
      await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: twin });
      shown = [paid!];
      world.at += 120_000;

      await act(RF_ORDER_ID);
      await reconcileLater();

      expect((await order()).status).toBe('paid');
    });

    it('finds the payment although the first order never had a code', async () => {
      const { orderCode: _, rfCode: __, ...withoutCodes } = newOrder;
      world.payments.put('rf-order', RF_ORDER_ID, { ...withoutCodes, notifyCustomer: true, status: 'cancelled' });

      await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: twin });
      await reconcileLater();

      expect((await order()).status).toBe('paid');
    });

    it('joins webhooks that name only the second order, once that one is paid', async () => {
      putOrder({ notifyCustomer: true });
      await deliver(MERCHANT_ID, 1799, { subject: twin, orderCode: twin });
      expect(await states(twin)).toEqual(['parked']);
      await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: twin });
      await reconcileLater();
      shown = shown.map((record) => ({ ...record, commission: 60 }));

      await act(twin);
      await reconcileLater();

      expect(await states(twin)).toEqual(['acted']);
      expect(await order()).toMatchObject({ status: 'paid', commission: 60 });
      await deliver(MERCHANT_ID, 1799, { subject: twin, orderCode: twin, transactionId: TRANSACTION_ID });
      expect(await states(RF_ORDER_ID)).toEqual(['acted', 'acted']);
    });

    it('does not accept a payment of an order with another reference, which is read for ten minutes', async () => {
      putOrder({ notifyCustomer: true });
      shown = shown.map((record) => ({ ...record, merchantTrns: 'room 12' }));
      await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: twin });
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

    it('reads three other orders at a time, however many the webhooks name', async () => {
      putOrder({ notifyCustomer: true });
      for (let n = 0; n < 3; n++) {
        const orderCode = String(9_107_199_254_741_001n + 2n * BigInt(n));
        const fresh = (eventTypeId: number) =>
          storeWebhook(
            world.payments,
            receivedWebhook(MERCHANT_ID, { eventTypeId, subject: RF_ORDER_ID, orderCode }),
            world.at,
          );
        await Promise.all([fresh(1796), fresh(1799)]);
      }

      await act(RF_ORDER_ID);

      expect(lists()).toBe(3);
    });

    it('causes no read when the payer was not notified, because nobody can pay the second order', async () => {
      putOrder();

      await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: twin });

      expect(lists()).toBe(0);
    });
  });

  it('leads to the same result for every order of five webhooks, with one duplicate and any one lost', async () => {
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
      viva.asked.length = 0;
      putOrder({ dueAt: world.seconds(300) });
      pay();
      for (const { type, subject } of [twice, ...sequence.filter((one) => one !== lost)]) {
        await deliver(MERCHANT_ID, type, { subject });
      }
      expect(await order()).toMatchObject({ status: 'paid', amountPaid: 5000, overpaid: false });
      expect((await order()).payments).toHaveLength(1);
      expect((await order()).outbox ?? []).toHaveLength(1);
    }
  });
});

describe('forged webhooks', () => {
  const reads = () => viva.times('readOrder') + viva.times('listOrderTransactions');
  const forged = (n: number) =>
    n % 2 === 0
      ? { subject: RF_ORDER_ID }
      : { subject: ORDER_CODE, orderCode: ORDER_CODE, transactionId: TRANSACTION_ID };

  it('cost the platform five reads when 10,000 name the same order at once, and change nothing', async () => {
    putOrder();
    const before = await order();

    for (let n = 0; n < 10_000; n++) {
      await deliver(MERCHANT_ID, 1796 + (n % 4), forged(n));
    }

    expect(reads()).toBe(5);
    expect({ ...(await order()), dueAt: before.dueAt }).toEqual(before);
    expect((await inbox(RF_ORDER_ID)).webhooks.length).toBeLessThanOrEqual(20);
  });

  it('cost one more read per minute while they continue, a few afterwards, and then none', async () => {
    putOrder();
    for (let second = 0; second < 600; second++) {
      for (let n = 0; n < 16; n++) {
        await deliver(MERCHANT_ID, 1796 + (n % 4), forged(n));
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

  it('do not delay a genuine webhook that follows within a second', async () => {
    putOrder();
    for (let n = 0; n < 4; n++) {
      await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID });
    }
    world.at += 1_000;
    pay();

    await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });

    expect((await order()).status).toBe('paid');
  });

  it('do not displace a genuine webhook that arrives when no read is left', async () => {
    putOrder();
    for (let n = 0; n < 1_000; n++) {
      await deliver(MERCHANT_ID, 1796, forged(n));
    }
    await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });
    pay();
    world.at += 60_000;

    await act(RF_ORDER_ID);

    expect((await order()).status).toBe('paid');
  });

  it('cost the platform nothing when they name nothing of ours', async () => {
    putOrder();

    for (let n = 0; n < 500; n++) {
      await deliver('isv', 1796, { subject: `7e6c1f8e-5b0f-4c57-9a53-${String(n).padStart(12, '0')}` });
      await deliver(MERCHANT_ID, 1799, { subject: String(1_000_000_000_000_000 + n) });
    }

    expect(viva.asked).toEqual([]);
    expect(await states('1000000000000000')).toEqual(['parked']);
  });

  it('are acted on less and less often, and in the end not at all', async () => {
    putOrder();
    await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID });
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

describe('a webhook about a movement of the account', () => {
  const movement = { subject: TRANSACTION_ID, transactionId: TRANSACTION_ID, currency: 'EUR' };
  const reading = (record: () => TransactionRecord) =>
    new FakeViva({
      readTransaction: async () => ({ record: record(), call: anyCall }),
      readOrder: async () => ({ state: orderState, call: anyCall }),
      listOrderTransactions: async () => ({ records, call: anyCall }),
    });

  it('reconciles the order that the platform names for its transaction', async () => {
    putOrder({ dueAt: world.seconds(3600) });
    pay();
    viva = reading(() => payment);

    await deliver(MERCHANT_ID, 2054, movement);

    expect((await order()).status).toBe('paid');
    expect(await states(TRANSACTION_ID)).toEqual(['acted']);
  });

  it('is recorded by the order although the payment is not listed yet', async () => {
    putOrder({ status: 'expired' });
    viva = reading(() => payment);

    await deliver(MERCHANT_ID, 2054, movement);
    expect((await order()).readings).toHaveProperty(TRANSACTION_ID);
    records = [payment];
    await reconcileLater();

    expect((await order()).status).toBe('paid');
  });

  it('stays new while its transaction is not visible, and then makes the pending orders due', async () => {
    putOrder({ dueAt: world.seconds(36_000) });
    viva = reading(() => {
      throw new TransientError('TRANSACTION_NOT_VISIBLE', 'none');
    });
    await deliver(MERCHANT_ID, 2054, movement);
    expect(await states(TRANSACTION_ID)).toEqual(['new']);

    world.at += 11 * 60_000;
    await act(TRANSACTION_ID);

    expect(await states(TRANSACTION_ID)).toEqual(['acted']);
    expect((await order()).dueAt).toBe(new Date(world.at).toISOString());
  });

  it('leaves the pending orders alone when it is a card payment', async () => {
    putOrder({ dueAt: world.seconds(3600) });
    const before = await order();
    viva = reading(() => ({ ...payment, orderCode: '9107199254740995', merchantTrns: SALE_ID }));

    await deliver(MERCHANT_ID, 2054, movement);

    expect(await order()).toEqual(before);
    expect((await inbox(TRANSACTION_ID)).webhooks[0]).toMatchObject({ state: 'acted', outcome: 'another payment' });
  });

  it('makes at most five pending orders of that account and currency due soon', async () => {
    for (let n = 0; n < 7; n++) {
      putOrder({ rfOrderId: `rf-${n}`, orderCode: `${n}`, dueAt: world.seconds(3600) });
    }

    await deliver(MERCHANT_ID, 2054, { currency: 'EUR' });

    const orders = await Promise.all(Array.from({ length: 7 }, (_, n) => world.payments.get('rf-order', `rf-${n}`)));
    expect(orders.filter((one) => one?.dueAt === world.seconds(0))).toHaveLength(5);
    expect(viva.asked).toEqual([]);
  });

  it('causes five reads at once per account and then one a minute, whatever it names', async () => {
    viva = reading(() => ({ ...payment, orderCode: '9107199254740995' }));
    const deliverMovement = (n: number) =>
      deliver(MERCHANT_ID, 2054, { ...movement, subject: `6f1f7a52-0000-4c53-8f1c-${String(n).padStart(12, '0')}` });
    for (let n = 0; n < 1_000; n++) {
      await deliverMovement(n);
    }
    expect(viva.times('readTransaction')).toBe(5);

    world.at += 120_000;
    for (let n = 1_000; n < 1_100; n++) {
      await deliverMovement(n);
    }

    expect(viva.times('readTransaction')).toBe(7);
  });

  it('of one merchant causes no read of another merchant’s order, whatever its reference', async () => {
    putOrder();
    const account = (await world.payments.get('account', MERCHANT_ID))!;
    world.payments.put('account', OTHER_MERCHANT, { ...account, merchantId: OTHER_MERCHANT });
    viva = reading(() => ({ ...payment, merchantTrns: RF_ORDER_ID }));

    await deliver(OTHER_MERCHANT, 2054, movement);

    expect(viva.asked.map(({ method }) => method)).toEqual(['readTransaction']);
  });

  it('in another currency, or of an unknown account, makes no order due', async () => {
    putOrder({ dueAt: world.seconds(3600) });
    const before = await order();

    await deliver(MERCHANT_ID, 2054, { currency: 'RON' });
    await deliver(OTHER_MERCHANT, 2054, { currency: 'EUR' });

    expect(await order()).toEqual(before);
  });
});

describe('a reversal webhook that names nothing of ours', () => {
  const CHILD = '0e1f2a3b-4c5d-4e6f-8a7b-9c0d1e2f3a4b';
  const CARD_ORDER = '1234567890123456';
  const deliverReversal = () =>
    deliver(MERCHANT_ID, 1797, { subject: CARD_ORDER, orderCode: CARD_ORDER, transactionId: CHILD });
  let visible: Record<string, TransactionRecord>;
  const original = { ...payment, orderCode: CARD_ORDER, merchantTrns: `room 12 ${SALE_ID}`, statusId: 'R' };
  const child = { ...payment, transactionId: CHILD, parentId: TRANSACTION_ID, orderCode: CARD_ORDER, merchantTrns: '' };

  beforeEach(() => {
    visible = { [CHILD]: child, [TRANSACTION_ID]: original };
    viva = new FakeViva({
      readTransaction: async (id) => {
        const record = visible[id];
        if (record === undefined) {
          throw new TransientError('TRANSACTION_NOT_VISIBLE', 'not yet');
        }
        return { record, call: anyCall };
      },
    });
  });

  it('reconciles the sale whose payment is the parent of the transaction', async () => {
    world.putSale({ status: 'paid', transactionId: TRANSACTION_ID });

    await deliverReversal();

    expect(reconciled.sale).toEqual([SALE_ID]);
  });

  it('reconciles the charge whose capture is the parent of the transaction', async () => {
    world.putCharge({ status: 'charged', sentAt: world.seconds(-600), transactionId: TRANSACTION_ID });
    const CAPTURE = '3c4d5e6f-7a8b-4c9d-8e0f-1a2b3c4d5e6f';
    visible[CHILD] = { ...child, parentId: CAPTURE };
    visible[CAPTURE] = { ...child, transactionId: CAPTURE };
    visible[TRANSACTION_ID] = { ...original, merchantTrns: CHARGE_ID };

    await deliverReversal();

    expect(reconciled.charge).toEqual([CHARGE_ID]);
  });

  it('is acted on again while its transaction is not visible, but not forever', async () => {
    world.putSale({ status: 'paid', transactionId: TRANSACTION_ID });
    delete visible[CHILD];
    await deliverReversal();
    expect(await states(CARD_ORDER)).toEqual(['new']);
    visible[CHILD] = child;
    world.at += 60_000;
    await act(CARD_ORDER);
    expect(reconciled.sale).toEqual([SALE_ID]);

    delete visible[CHILD];
    world.at += 600_000;
    await act(CARD_ORDER);
    expect(await states(CARD_ORDER)).toEqual(['acted']);
  });

  it('waits for its account’s next read when other webhooks have used them up', async () => {
    world.putSale({ status: 'paid', transactionId: TRANSACTION_ID });
    for (let n = 0; n < 5; n++) {
      await deliver(MERCHANT_ID, 2054, { subject: `movement ${n}`, currency: 'EUR' });
    }
    await deliverReversal();
    expect(reconciled.sale).toEqual([]);
    expect(await states(CARD_ORDER)).toEqual(['new']);

    world.at += 60_000;
    await act(CARD_ORDER);

    expect(reconciled.sale).toEqual([SALE_ID]);
  });

  it.each([
    ['a payment that is not ours', { merchantTrns: 'lunch' }],
    ['a chain of parents that is too long', { merchantTrns: 'lunch', parentId: CHILD }],
  ])('costs at most three reads: %s', async (_, record) => {
    world.putSale({ status: 'paid', transactionId: TRANSACTION_ID });
    visible[TRANSACTION_ID] = { ...original, ...record };

    await deliverReversal();

    expect(viva.times('readTransaction')).toBeLessThanOrEqual(3);
    expect(reconciled.sale).toEqual([]);
    expect(await states(CARD_ORDER)).toEqual(['acted']);
  });

  it.each([
    ['isv', MERCHANT_ID, [SALE_ID]],
    ['isv', OTHER_MERCHANT, []],
    ['merchant', MERCHANT_ID, []],
  ] as const)(
    'that came through the ISV’s path reconciles a sale of its own merchant only: %s, %s',
    async (mode, merchantId, ids) => {
      world.putSale({ status: 'paid', transactionId: TRANSACTION_ID });
      await world.payments.change('account', MERCHANT_ID, () => ({ mode }));

      await deliver('isv', 1797, { subject: CARD_ORDER, orderCode: CARD_ORDER, transactionId: CHILD, merchantId });

      expect(reconciled.sale).toEqual(ids);
      expect(await states(CARD_ORDER)).toEqual([ids.length > 0 ? 'new' : 'parked']);
    },
  );

  it('of one merchant does not reconcile another merchant’s sale', async () => {
    world.putSale({ status: 'paid', transactionId: TRANSACTION_ID, merchantId: OTHER_MERCHANT });

    await deliverReversal();

    expect(reconciled.sale).toEqual([]);
  });
});

describe('a webhook about a charge', () => {
  const later = (seconds: number) => {
    world.at = START + seconds * 1_000;
  };
  const CAPTURE_ID = '7e6c1f8e-5b0f-8c57-9a53-0a1b6f2f7f21';
  const sent = { status: 'processing' as const, sentAt: new Date(START).toISOString() };

  it('waits for the outcome of a charge that is being sent, and causes no read', async () => {
    world.putCharge(sent);
    await deliver(MERCHANT_ID, 1796, { subject: CHARGE_ID, transactionId: TRANSACTION_ID });
    expect((await inbox(CHARGE_ID)).webhooks[0]).toMatchObject({ state: 'new', outcome: 'being sent' });
    expect(await inbox(CHARGE_ID)).toMatchObject({ dueAt: world.seconds(60), spentUntil: world.seconds(0) });

    const answered = { status: 'charged' as const, transactionId: TRANSACTION_ID };
    await world.payments.change('charge', CHARGE_ID, () => answered);
    later(60);
    await act(CHARGE_ID);

    expect(await states(CHARGE_ID)).toEqual(['acted']);
    expect(reconciled.charge).toEqual([]);
  });

  it('reconciles a charge that was sent and not answered once no answer can arrive', async () => {
    world.putCharge(sent);
    await deliver(MERCHANT_ID, 1798, { subject: CHARGE_ID, transactionId: TRANSACTION_ID });
    expect(reconciled.charge).toEqual([]);
    later(61);
    await act(CHARGE_ID);

    expect(reconciled.charge).toEqual([CHARGE_ID]);
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
    'reconciles a charge that is %s for webhook %i of transaction %s: %i times',
    async (status, eventTypeId, named, times) => {
      const known = {
        charged: { transactionId: TRANSACTION_ID },
        needs_review: { reading: { seen: 'absent', at: world.seconds(60) } },
      };
      world.putCharge({ ...sent, status, ...known[status as keyof typeof known] });
      later(90);

      await deliver(MERCHANT_ID, eventTypeId, { subject: CHARGE_ID, ...(named && { transactionId: named }) });

      expect(reconciled.charge).toHaveLength(times);
      const staysNew = times > 0 && eventTypeId !== 1798;
      expect(await states(CHARGE_ID)).toEqual([staysNew || status === 'needs_review' ? 'new' : 'acted']);
    },
  );

  it('causes no read for a charge that was never sent', async () => {
    world.putCharge();

    await deliver(MERCHANT_ID, 1796, { subject: CHARGE_ID, transactionId: TRANSACTION_ID });

    expect(reconciled.charge).toEqual([]);
    expect(await states(CHARGE_ID)).toEqual(['acted']);
  });

  it('is acted on until what it reported can no longer appear', async () => {
    world.putCharge({ ...sent, status: 'declined' });
    later(90);
    await deliver(MERCHANT_ID, 1796, { subject: CHARGE_ID, transactionId: TRANSACTION_ID });

    for (let minute = 0; minute < 20; minute++) {
      world.at += 60_000;
      await act(CHARGE_ID);
    }

    expect(reconciled.charge).toHaveLength(6);
    expect(await states(CHARGE_ID)).toEqual(['acted']);
  });

  it.each([
    ['a capture', CAPTURE_ID],
    ['a void', '7e6c1f8e-5b0f-8c57-9a53-0a1b6f2f7f22'],
  ])('reconciles the charge when it reports %s of it', async (_, actId) => {
    world.putCharge({ ...sent, status: 'authorized', transactionId: TRANSACTION_ID });
    later(90);
    const MerchantTrns = actReference('room 12', CHARGE_ID, actId);
    const webhook = readWebhook(Buffer.from(envelope(1797, { MerchantTrns, TransactionId: OTHER_MERCHANT })));

    expect(webhook.subject).toBe(CHARGE_ID);
    await deliver(MERCHANT_ID, 1797, webhook);

    expect(reconciled.charge).toEqual([CHARGE_ID]);
  });

  it('waits for the outcome of a capture or void that is being sent', async () => {
    const capture = { captureId: CAPTURE_ID, amount: 4000, isvAmount: 0, requestedAt: world.seconds(0) };
    const hold = { ...sent, status: 'authorized' as const, transactionId: TRANSACTION_ID };
    const news = { subject: CHARGE_ID, transactionId: OTHER_MERCHANT };
    later(100);
    world.putCharge({ ...hold, captures: [{ ...capture, status: 'pending', sentAt: world.seconds(90) }] });
    await deliver(MERCHANT_ID, 1796, news);
    world.putCharge({ ...hold, voidSentAt: world.seconds(90) });
    await deliver(MERCHANT_ID, 1797, news);
    expect(reconciled.charge).toEqual([]);

    later(170);
    await act(CHARGE_ID);
    expect(reconciled.charge).toEqual([CHARGE_ID]);
    world.putCharge({
      ...hold,
      captures: [{ ...capture, status: 'done', transactionId: OTHER_MERCHANT.toUpperCase() }],
    });
    later(300);
    await act(CHARGE_ID);

    expect(reconciled.charge).toEqual([CHARGE_ID]);
    expect(await states(CHARGE_ID)).toEqual(['acted', 'acted']);
  });

  it('of another merchant does not change the charge', async () => {
    world.putCharge({ ...sent, status: 'declined' });

    await deliver(OTHER_MERCHANT, 1796, { subject: CHARGE_ID, transactionId: TRANSACTION_ID });

    expect(reconciled.charge).toEqual([]);
    expect(await states(CHARGE_ID)).toEqual(['ignored']);
  });
});

describe('a webhook about a sale', () => {
  it('lets the sale continue at once when its terminal approved, and only once', async () => {
    world.putSale({ status: 'awaiting_card', taskToken: 'task-1' });
    session = approved;

    await deliver(MERCHANT_ID, 1802, { subject: SALE_ID });
    await deliver(MERCHANT_ID, 1796, { subject: SALE_ID });

    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', transactionId: TRANSACTION_ID });
    expect(world.completed).toEqual(['task-1']);
    expect(await world.leasedUntil()).toBe(world.seconds(0));
    expect(viva.times('readSession')).toBe(1);
    expect(retried).toEqual([]);
  });

  it('ends the sale at once when its terminal declined', async () => {
    world.putSale({ status: 'awaiting_card', taskToken: 'task-1' });
    session = declined;

    await deliver(MERCHANT_ID, 1803, { subject: SALE_ID });

    expect(await world.sale()).toMatchObject({ status: 'declined', failure: { code: 'CARD_DECLINED' } });
    expect(retried).toEqual(['task-1']);
    expect(world.completed).toEqual([]);
  });

  it('leaves the sale waiting when its terminal has no outcome', async () => {
    world.putSale({ status: 'awaiting_card', taskToken: 'task-1' });

    await deliver(MERCHANT_ID, 1796, { subject: SALE_ID });
    await deliver(MERCHANT_ID, 1796, { subject: SALE_ID });

    expect(retried).toEqual([]);
    expect(viva.times('readSession')).toBe(2);
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
  ] as const)('reconciles a sale that is %s for webhook %i: %i times', async (status, eventTypeId, times, state) => {
    world.putSale({ status });

    await deliver(MERCHANT_ID, eventTypeId, { subject: SALE_ID });

    expect(reconciled.sale).toHaveLength(times);
    expect(await states(SALE_ID)).toEqual([state]);
  });

  it('makes a sale that ended unpaid paid when the platform’s records show its payment', async () => {
    world.putSale({ status: 'declined', requestedAt: world.seconds(-60) });
    const { record } = await viva.for({} as Account, world.invocation.remainingMs).readTransaction(TRANSACTION_ID);
    viva = new FakeViva({ listDay: async () => ({ records: [record], unreadable: [], call: anyCall }) });

    await deliver(MERCHANT_ID, 1796, { subject: SALE_ID, transactionId: TRANSACTION_ID });

    expect(await world.sale()).toMatchObject({ status: 'paid', transactionId: TRANSACTION_ID });
    expect(await states(SALE_ID)).toEqual(['acted']);
  });

  it('is acted on for a sale that ended unpaid until the platform must have listed what it reported', async () => {
    world.putSale({ status: 'declined' });
    await deliver(MERCHANT_ID, 1796, { subject: SALE_ID });

    for (let minute = 0; minute < 20; minute++) {
      world.at += 60_000;
      await act(SALE_ID);
    }

    expect(reconciled.sale).toHaveLength(6);
    expect(await states(SALE_ID)).toEqual(['acted']);
  });
});

describe('a webhook that cannot be acted on', () => {
  it('is retried later each time, and given up after a day with the reason', async () => {
    putOrder();
    outage = new TransientError('NO_CLEAR_ANSWER', 'the platform is away');
    await deliver(MERCHANT_ID, 1796, { subject: ORDER_CODE });
    expect((await inbox(ORDER_CODE)).dueAt).toBe(world.seconds(60));

    let reads = 0;
    while ((await inbox(ORDER_CODE)).dueAt !== undefined) {
      world.at = Date.parse((await inbox(ORDER_CODE)).dueAt!);
      await act(ORDER_CODE);
      reads++;
    }

    expect(reads).toBeLessThan(35);
    expect(world.at).toBeGreaterThanOrEqual(START + DAY_MS);
    expect((await inbox(ORDER_CODE)).webhooks[0]).toMatchObject({ state: 'needs_review', outcome: 'NO_CLEAR_ANSWER' });
    expect(counted).toEqual(['WebhookGivenUp']);
    expect((await order()).status).toBe('pending');
  });

  it('is not lost: the order is paid as soon as the platform answers', async () => {
    putOrder();
    pay();
    outage = new TransientError('NO_CLEAR_ANSWER', 'the platform is away');
    await deliver(MERCHANT_ID, 1796, { subject: ORDER_CODE });
    outage = undefined;

    await act(ORDER_CODE);
    expect((await order()).status).toBe('pending');
    world.at += 60_000;
    await act(ORDER_CODE);

    expect((await order()).status).toBe('paid');
    expect(errors).toEqual(['NO_CLEAR_ANSWER']);
  });

  it('is retried when the invocation that acted on it must be dead', async () => {
    putOrder();
    pay();
    await storeWebhook(
      world.payments,
      receivedWebhook(MERCHANT_ID, { eventTypeId: 1796, subject: ORDER_CODE }),
      world.at,
    );
    await world.payments.change('inbox', ORDER_CODE, ({ webhooks }) => ({
      actingUntil: world.seconds(90),
      dueAt: world.seconds(90),
      webhooks: webhooks.map((one) => ({ ...one, attempts: 1 })),
    }));

    await act(ORDER_CODE);
    expect((await order()).status).toBe('pending');
    world.at += 90_000;
    await act(ORDER_CODE);

    expect((await order()).status).toBe('paid');
  });
});

it('causes one read of the platform when many invocations act on one subject', async () => {
  putOrder();
  await storeWebhook(
    world.payments,
    receivedWebhook(MERCHANT_ID, { eventTypeId: 1796, subject: ORDER_CODE }),
    world.at,
  );

  await Promise.all(Array.from({ length: 20 }, () => act(ORDER_CODE)));

  expect(viva.times('readOrder')).toBe(1);
});

describe('a webhook that an operator retries', () => {
  it('is acted on at once, and for as long as a new one', async () => {
    putOrder({ status: 'expired' });
    await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, transactionId: TRANSACTION_ID });
    await deliver(MERCHANT_ID, 5632, { subject: RF_ORDER_ID });
    world.at += 2 * DAY_MS;
    await act(RF_ORDER_ID);
    expect(await states(RF_ORDER_ID)).toEqual(['acted', 'ignored']);
    const reads = viva.times('listOrderTransactions');

    const { count, patch } = requeued(await inbox(RF_ORDER_ID), () => true, world.at);
    expect(count).toBe(1);
    expect(patch?.webhooks?.map(({ state, attempts }) => [state, attempts])).toEqual([
      ['new', 0],
      ['ignored', 0],
    ]);
    await world.payments.change('inbox', RF_ORDER_ID, () => patch);
    await act(RF_ORDER_ID);

    expect(viva.times('listOrderTransactions')).toBe(reads + 1);
    expect(await states(RF_ORDER_ID)).toEqual(['new', 'ignored']);
    expect((await inbox(RF_ORDER_ID)).dueAt).toBe(new Date(world.at + 60_000).toISOString());
  });

  it('does not exist when the filter matches none', async () => {
    putOrder();
    await deliver(MERCHANT_ID, 1796, { subject: RF_ORDER_ID });

    expect(requeued(await inbox(RF_ORDER_ID), () => false, world.at)).toEqual({ count: 0, patch: undefined });
  });
});

it('logs nothing of its input, because an order code is enough to pay', () => {
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
