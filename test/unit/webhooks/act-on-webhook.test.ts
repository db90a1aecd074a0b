import { beforeEach, describe, expect, it } from 'vitest';
import { actOnWebhook } from '../../../functions/webhooks/act-on-webhook/step.ts';
import { FaultError, TransientError } from '../../../shared/errors.ts';
import type { Account, Message, RfOrder, Sale } from '../../../shared/items.ts';
import type { NewItem } from '../../../shared/payments.ts';
import type { OrderRecord, Session, TransactionRecord } from '../../../shared/platform/platform.ts';
import { settleRfOrder } from '../../../shared/settlement/rf.ts';
import { receive, unpark } from '../../../shared/webhooks/inbox.ts';
import { anyCall, FakePlatform } from '../../fakes/platform.ts';
import { MERCHANT_ID, SALE_ID, World } from '../../fakes/world.ts';
import { arrival, ORDER_CODE, RF_ORDER_ID, TRANSACTION_ID } from './messages.ts';

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
let counted: string[];
let errors: string[];

beforeEach(() => {
  world = new World();
  orderState = 'pending';
  records = [];
  outage = undefined;
  session = { state: 'pending', call: anyCall };
  retried = [];
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
  settleRfOrder: (id: string, remainingMs: () => number, otherCodes: readonly string[]) =>
    settleRfOrder(
      id,
      { payments: world.payments, platformFor: platform.for, now: world.now, remainingMs },
      { otherCodes },
    ),
  settleSale: async (id: string) => {
    platform.asked.push({ method: 'readTransaction', request: id });
    return (await world.payments.get('sale', id)) as Sale;
  },
  settleCharge: async () => {
    throw new FaultError('UNEXPECTED', 'no charge here');
  },
  now: world.now,
  count: (metric: string) => counted.push(metric),
  onError: (code: string) => errors.push(code),
});

const act = (subject: string) => actOnWebhook.run({ subject }, deps(), world.invocation);
const inbox = async (subject: string) => (await world.payments.get('message', subject))!;
const states = async (subject: string) => (await inbox(subject)).messages.map(({ state }: Message) => state);
const order = async () => (await world.payments.get('rf', RF_ORDER_ID)) as RfOrder;

/** A message comes, and whoever is nudged acts. */
async function told(recipient: string, eventTypeId: number, event: object = {}): Promise<void> {
  const message = arrival(recipient, { eventTypeId, ...event });
  const subject = await receive(world.payments, message, world.at);
  if (subject !== undefined) {
    await act(subject);
  }
}

function putOrder(settings: Partial<NewItem<'rf'>> = {}): void {
  world.payments.put('rf', settings.rfOrderId ?? RF_ORDER_ID, { ...newOrder, ...settings });
  world.payments.put('order', settings.orderCode ?? ORDER_CODE, {
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
    expect((await inbox(ORDER_CODE)).messages[0]).toMatchObject({ state: 'acted', outcome: 'pending' });
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

  it('is joined by a message whose look it overtook', async () => {
    pay();
    const { get } = world.payments;
    let looked = false;
    world.payments.get = async (kind, id) => {
      const found = await get.call(world.payments, kind, id);
      if (kind === 'order' && !looked) {
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

    records = [{ ...payment, commission: 45 }];
    await told(MERCHANT_ID, 1799, { subject: ORDER_CODE, transactionId: TRANSACTION_ID });

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

      expect((await order()).status).toBe('paid');
    });

    it('is paid by it although its own code was never given', async () => {
      const { orderCode: _, rfCode: __, ...withoutCodes } = newOrder;
      world.payments.put('rf', RF_ORDER_ID, { ...withoutCodes, notifyCustomer: true, status: 'cancelled' });

      await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: twin });

      expect((await order()).status).toBe('paid');
    });

    it('is told of by what names only the other one, once that has paid', async () => {
      putOrder({ notifyCustomer: true });
      await told(MERCHANT_ID, 1799, { subject: twin, orderCode: twin });
      expect(await states(twin)).toEqual(['parked']);
      await told(MERCHANT_ID, 1796, { subject: RF_ORDER_ID, orderCode: twin });
      shown = shown.map((record) => ({ ...record, commission: 60 }));

      await act(twin);
      await told(MERCHANT_ID, 1799, { subject: twin, orderCode: twin });

      expect(await states(twin)).toEqual(['acted']);
      expect(await order()).toMatchObject({ status: 'paid', commission: 60 });
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

      expect((await order()).status).toBe('pending');
      expect(await states(RF_ORDER_ID)).toEqual(['acted']);
      expect(lists()).toBeLessThanOrEqual(5);
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
  it('cost the platform one read when 10,000 name the same order, and change nothing', async () => {
    putOrder();
    const before = await order();

    for (let n = 0; n < 10_000; n++) {
      await told(
        MERCHANT_ID,
        1796,
        n % 2 === 0 ? { subject: RF_ORDER_ID } : { subject: ORDER_CODE, orderCode: ORDER_CODE },
      );
    }

    expect(platform.times('readOrder') + platform.times('listOrderTransactions')).toBe(1);
    expect({ ...(await order()), reads: 0, dueAt: before.dueAt, updatedAt: '', revision: 0 }).toEqual({
      ...before,
      updatedAt: '',
      revision: 0,
    });
    expect((await inbox(RF_ORDER_ID)).messages).toHaveLength(4);
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

  it('are looked into again later, and less often each time', async () => {
    putOrder();
    const readsIn = async (minutes: number) => {
      const before = platform.times('readOrder');
      for (let minute = 0; minute < minutes; minute++) {
        world.at += 60_000;
        await told(MERCHANT_ID, 1796, { subject: ORDER_CODE });
      }
      return platform.times('readOrder') - before;
    };

    expect(await readsIn(60)).toBeLessThanOrEqual(7);
    expect(await readsIn(600)).toBeLessThanOrEqual(10);
  });
});

describe('a movement of the account', () => {
  it('settles the order that the platform names for its transaction, and asks for it once a minute', async () => {
    putOrder({ dueAt: world.seconds(3600) });
    pay();
    platform = new FakePlatform({
      readTransaction: async () => ({ record: { ...records[0]!, orderCode: ORDER_CODE }, call: anyCall }),
      readOrder: async () => ({ state: orderState, call: anyCall }),
      listOrderTransactions: async () => ({ records, call: anyCall }),
    });

    await told(MERCHANT_ID, 2054, { subject: TRANSACTION_ID, transactionId: TRANSACTION_ID, currency: 'EUR' });
    await told(MERCHANT_ID, 2054, { subject: TRANSACTION_ID, transactionId: TRANSACTION_ID, currency: 'EUR' });

    expect((await order()).status).toBe('paid');
    expect(platform.times('readTransaction')).toBe(1);
  });

  it('has the pending orders of that account and currency read back soon: five, once a minute', async () => {
    const putSeven = () => {
      for (let n = 0; n < 7; n++) {
        putOrder({ rfOrderId: `rf-${n}`, orderCode: `${n}`, dueAt: world.seconds(3600) });
      }
    };
    const hurried = async () =>
      (await Promise.all(Array.from({ length: 7 }, (_, n) => world.payments.get('rf', `rf-${n}`)))).filter(
        (one) => one?.dueAt === new Date(world.at).toISOString(),
      ).length;

    putSeven();
    await told(MERCHANT_ID, 2054, { currency: 'EUR' });
    expect(await hurried()).toBe(5);
    world.at += 30_000;
    putSeven();
    await told(MERCHANT_ID, 2054, { currency: 'EUR', subject: TRANSACTION_ID });
    expect(await hurried()).toBe(0);
    world.at += 30_000;
    await told(MERCHANT_ID, 2054, { currency: 'EUR' });
    expect(await hurried()).toBe(5);
    expect(platform.asked).toEqual([]);
  });

  it('of one merchant has no order of another read, whatever its reference', async () => {
    putOrder();
    const account = (await world.payments.get('account', MERCHANT_ID))!;
    world.payments.put('account', OTHER_MERCHANT, { ...account, merchantId: OTHER_MERCHANT });
    platform = new FakePlatform({
      readTransaction: async () => ({ record: { ...payment, merchantTrns: RF_ORDER_ID }, call: anyCall }),
    });

    await told(OTHER_MERCHANT, 2054, { transactionId: TRANSACTION_ID, currency: 'EUR' });

    expect(platform.asked.map(({ method }) => method)).toEqual(['readTransaction']);
  });

  it('leaves alone what cannot be meant, and orders that were read often', async () => {
    putOrder({ dueAt: world.seconds(3600), reads: 30 });
    const before = await order();

    await told(MERCHANT_ID, 2054, { currency: 'RON' });
    world.at += 60_000;
    await told(MERCHANT_ID, 2054, { currency: 'EUR' });
    await told(OTHER_MERCHANT, 2054, { currency: 'EUR' });

    expect(await order()).toEqual(before);
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
    expect(platform.times('readSession')).toBe(1);
  });

  it.each([
    ['tokenized', 1796, 0, 'acted'],
    ['tokenized', 1797, 1, 'new'],
    ['paid', 1802, 0, 'acted'],
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

    expect(platform.times('readTransaction')).toBe(5);
    expect(await states(SALE_ID)).toEqual(['acted']);
  });
});

describe('a look that fails', () => {
  it('is made again, later each time, and given up after a day with the reason', async () => {
    putOrder();
    outage = new TransientError('NO_CLEAR_ANSWER', 'the platform is away');
    await told(MERCHANT_ID, 1796, { subject: ORDER_CODE });
    expect((await inbox(ORDER_CODE)).dueAt).toBe(world.seconds(60));

    let looks = 0;
    while ((await inbox(ORDER_CODE)).dueAt !== undefined) {
      world.at = Date.parse((await inbox(ORDER_CODE)).dueAt!);
      await act(ORDER_CODE);
      looks++;
    }

    expect(looks).toBeLessThan(35);
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
    await world.payments.change('message', ORDER_CODE, () => ({ actingUntil: world.seconds(90) }));

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

const newOrder: NewItem<'rf'> = {
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
  reads: 0,
  origin: { requestHash: 'hash' },
  timeline: [],
};
