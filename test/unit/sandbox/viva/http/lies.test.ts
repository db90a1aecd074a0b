import { beforeEach, describe, expect, it } from 'vitest';
import { presentCard } from '../../../../../sandbox/viva/books/cards.ts';
import { capture, giveBack, hold, pay } from '../../../../../sandbox/viva/books/money.ts';
import type { Transaction } from '../../../../../sandbox/viva/books/transactions.ts';
import type { FaultName, FaultRequest } from '../../../../../sandbox/viva/http/faults.ts';
import { FakeSimulator } from '../../../../fakes/simulator.ts';

let platform: FakeSimulator;
let sale: Transaction;
let charge: Transaction;
let preauth: Transaction;
let captured: Transaction;
let refund: Transaction;
let reversed: Transaction;
let reversal: Transaction;
let credit: Transaction;

const CODE = '9948100551072601';

beforeEach(() => {
  platform = new FakeSimulator();
  const { sim, account } = platform;
  const card = presentCard('visa', sim.clock.now());
  const draft = (amount: number, merchantTrns: string) => ({ account, card, amount, merchantTrns });
  sale = pay(sim, 'sale', draft(1500, 'room 12 sale-1'));
  refund = giveBack(sim, 'refund', sale, { account, amount: 500 });
  charge = pay(sim, 'charge', draft(4000, 'minibar charge-1'));
  preauth = hold(sim, draft(7000, 'deposit charge-2'));
  captured = capture(sim, preauth, draft(6000, 'deposit capture-1'));
  reversed = pay(sim, 'sale', draft(900, 'room 7 sale-2'));
  reversal = giveBack(sim, 'reversal', reversed, draft(900, 'room 7 sale-2'));
  credit = pay(sim, 'rf_credit', { account, amount: 4200, merchantTrns: 'rf-1', orderCode: CODE });
});

const day = () => new Date(platform.clock.now()).toLocaleDateString('sv-SE', { timeZone: 'Europe/Athens' });
const list = (query = `date=${day()}`) => platform.base('GET', `/api/transactions?${query}`);
const one = (transaction: Transaction) => platform.base('GET', `/api/transactions/${transaction.transactionId}`);
const v2 = (transaction: Transaction) =>
  platform.api('GET', `/checkout/v2/transactions/${transaction.transactionId}`, 'smartCheckout');

/** Returns a field of every record of the day, by what the record is. */
async function listed(field: string): Promise<Record<string, unknown>> {
  const { Transactions } = (await list()).body;
  const names = { sale, refund, charge, preauth, captured, reversed, reversal, credit };
  return Object.fromEntries(
    Object.entries(names).map(([name, { transactionId }]) => [
      name,
      Transactions.find((found: { TransactionId: string }) => found.TransactionId === transactionId)?.[field],
    ]),
  );
}

const truth = {
  sale: 'R',
  refund: 'F',
  charge: 'F',
  preauth: 'C',
  captured: 'F',
  reversed: 'X',
  reversal: 'F',
  credit: 'F',
};
const amounts = {
  sale: 15,
  refund: 5,
  charge: 40,
  preauth: 70,
  captured: 60,
  reversed: 9,
  reversal: 9,
  credit: 42,
};

describe('a list of many records', () => {
  it('is correct without a fault', async () => {
    expect(await listed('StatusId')).toEqual(truth);
    expect(await listed('Amount')).toEqual(amounts);
  });

  it.each<[FaultName, Partial<FaultRequest>, object]>([
    ['transaction_failed', {}, { charge: 'E', captured: 'E', credit: 'E' }],
    ['transaction_pending', {}, { charge: 'A', captured: 'A', credit: 'A' }],
    ['transaction_disputed', {}, { sale: 'M', charge: 'M', captured: 'M', credit: 'M' }],
    ['transaction_disputed', { statusId: 'ML' }, { sale: 'ML', charge: 'ML', captured: 'ML', credit: 'ML' }],
  ])('shows all of its payments with the status of %s %o, and refunds unchanged', async (name, more, lies) => {
    platform.fault(name, more);

    expect(await listed('StatusId')).toEqual({ ...truth, ...lies });
  });

  it('shows every amount one major unit too high, to the cent', async () => {
    platform.fault('wrong_amount');

    expect(await listed('Amount')).toEqual(
      Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount + 1])),
    );
  });

  it.each<[FaultName, string, string]>([
    ['wrong_currency', 'CurrencyCode', '840'],
    ['wrong_merchant', 'MerchantId', '00000000-0000-4000-8000-000000000000'],
  ])('shows another value under %s in every record', async (name, field, value) => {
    platform.fault(name);

    expect(new Set(Object.values(await listed(field)))).toEqual(new Set([value]));
  });

  it('cannot be read when a record has neither amount nor status', async () => {
    platform.fault('record_unreadable', { match: { record: charge.transactionId } });

    const { text, body } = await list();
    const broken = body.Transactions.filter((record: { Amount: unknown }) => record.Amount === null);

    expect(broken).toMatchObject([{ TransactionId: charge.transactionId, Amount: null, StatusId: null }]);
    expect(text).toContain('"Amount":15.00');
  });

  it('keeps every other number as it was written', async () => {
    platform.fault('transaction_failed', { match: { record: charge.transactionId } });

    const { text } = await list(`ordercode=${CODE}`);
    platform.fault('transaction_failed', { match: { record: CODE } });
    const lied = await list(`ordercode=${CODE}`);

    expect(text).toContain(`"OrderCode":${CODE}`);
    expect(lied.text).toContain(`"OrderCode":${CODE}`);
    expect(lied.text).toContain('"Amount":42.00');
    expect(lied.body.Transactions[0]).toMatchObject({ StatusId: 'E', AcquirerApproved: false });
  });

  it('leaves out all records under record_missing, and all children under child_missing', async () => {
    platform.fault('record_missing', { match: { record: 'sale-2' } });
    const missing = await listed('StatusId');
    platform.fault('child_missing');
    const childless = await listed('StatusId');

    expect(missing).toEqual({ ...truth, reversed: undefined, reversal: undefined });
    expect(childless).toEqual({ ...truth, refund: undefined, captured: undefined, reversal: undefined });
  });

  it('leaves out the children of one parent, although they have no reference', async () => {
    platform.fault('child_missing', { match: { record: sale.transactionId } });

    expect(await listed('StatusId')).toEqual({ ...truth, refund: undefined });
  });

  it('leaves out what is younger than the lag', async () => {
    platform.fault('list_lag', { times: null, delaySeconds: 30 });
    const young = (await list()).body.Transactions;
    await platform.clock.advance(platform.clock.now() + 31_000);

    expect(young).toEqual([]);
    expect(await listed('StatusId')).toEqual(truth);
  });

  it.each<[string, () => string, object]>([
    ['a transaction', () => charge.transactionId, { charge: 'E' }],
    ['an order code', () => CODE, { credit: 'E' }],
    ['a part of the reference', () => 'charge-1', { charge: 'E' }],
    ['a refund, by its id', () => reversal.transactionId, { reversal: 'E' }],
    ['a reference that a reversal shares with its parent', () => 'sale-2', {}],
  ])('is wrong in one record when the fault names %s', async (_what, record, lies) => {
    platform.fault('transaction_failed', { match: { record: record() } });

    expect(await listed('StatusId')).toEqual({ ...truth, ...lies });
  });
});

describe('a read of one transaction', () => {
  it.each<[FaultName, object, object]>([
    ['transaction_failed', { StatusId: 'E', AcquirerApproved: false }, { statusId: 'E' }],
    ['transaction_pending', { StatusId: 'A' }, { statusId: 'A' }],
    ['transaction_disputed', { StatusId: 'M' }, { statusId: 'M' }],
    ['wrong_amount', { Amount: 41, StatusId: 'F' }, { amount: 41, originalAmount: 41 }],
    ['wrong_currency', { CurrencyCode: '840' }, { currencyCode: '840' }],
    ['record_unreadable', { Amount: null, StatusId: null }, { amount: null, statusId: null }],
  ])('is wrong under %s in both interfaces', async (name, legacy, checkout) => {
    platform.fault(name, { times: 2, match: { record: charge.transactionId } });

    expect((await one(charge)).body.Transactions).toMatchObject([legacy]);
    expect((await v2(charge)).body).toMatchObject(checkout);
    expect((await one(charge)).body.Transactions).toMatchObject([{ StatusId: 'F', Amount: 40 }]);
  });

  it.each<FaultName>(['record_missing', 'not_visible'])(
    'answers 404 under %s, as for an unknown transaction',
    async (name) => {
      platform.fault(name, { times: 2 });

      expect([(await one(charge)).status, (await v2(charge)).status, (await one(charge)).status]).toEqual([
        404, 404, 200,
      ]);
    },
  );

  it('of a transaction without a parent is not affected by child_missing', async () => {
    platform.fault('child_missing');

    expect([(await one(charge)).status, (await one(refund)).status]).toEqual([200, 404]);
  });

  it('of a failed transaction can show it in progress', async () => {
    charge.statusId = 'E';
    platform.fault('transaction_pending');

    expect((await one(charge)).body.Transactions[0].StatusId).toBe('A');
  });
});

describe('a fault that falsifies answers', () => {
  it('waits for an answer that it can falsify, and leaves other requests to the next fault', async () => {
    const lie = platform.fault('transaction_failed', { match: { record: 'charge-1' } });
    platform.fault('server_error_after', { match: { path: '/api/' } });

    expect((await one(sale)).status).toBe(500);
    expect(lie.struck).toBe(0);
    expect((await one(charge)).body.Transactions[0].StatusId).toBe('E');
    expect(lie.struck).toBe(1);
  });

  it('skips answers that it could have falsified', async () => {
    platform.fault('transaction_failed', { skip: 1 });

    expect(
      [await one(charge), await one(charge), await one(charge)].map(({ body }) => body.Transactions[0].StatusId),
    ).toEqual(['F', 'E', 'F']);
  });

  it('is named in the request log when it applies', async () => {
    platform.fault('record_missing', { match: { record: 'charge-1' } });
    await one(sale);
    await list();

    expect(platform.sim.requests.list().map(({ fault }) => fault)).toEqual([null, 'record_missing']);
  });

  it('about the amount of an order increases the requested amount', async () => {
    const { text } = await platform.api('POST', '/checkout/v2/orders', 'smartCheckout', { amount: 4200 });
    const orderCode = /\d{16}/.exec(text)![0];
    platform.fault('wrong_amount', { match: { record: orderCode } });

    expect((await platform.base('GET', `/api/orders/${orderCode}`)).text).toContain('"RequestAmount":43.00');
  });

  it('about a payment code breaks its check digits', async () => {
    const { text } = await platform.api('POST', '/checkout/v2/orders', 'smartCheckout', { amount: 4200 });
    const orderCode = /\d{16}/.exec(text)?.[0];
    const ask = async () =>
      (await platform.base('POST', '/web2/checkout/v2/paymentsessions', { orderCode })).body.rfPaymentCode as string;
    const code = await ask();
    platform.fault('bad_rf_code', { match: { merchantId: platform.account.merchantId } });
    const wrong = await ask();

    expect(wrong.slice(0, -1)).toBe(code.slice(0, -1));
    expect(wrong).not.toBe(code);
    expect(await ask()).toBe(code);
  });
});

describe('a session under a fault', () => {
  const sell = (sessionId: string, amount = 1500) =>
    platform.api('POST', '/ecr/v1/transactions:sale', 'pos', {
      sessionId,
      terminalId: platform.account.terminals[0],
      cashRegisterId: 'till-1',
      amount,
      currencyCode: '978',
      merchantReference: `room 12 ${sessionId}`,
    });
  const session = (sessionId: string) => platform.api('GET', `/ecr/v1/sessions/${sessionId}`, 'pos');
  const advance = (seconds: number) => platform.clock.advance(platform.clock.now() + seconds * 1000);

  beforeEach(() => {
    Object.assign(platform.sim.terminals.find(platform.account.terminals[0]!)!, { mode: 'auto', delayMs: 300 });
  });

  it('is shown as failed only after it succeeded, as often as requested', async () => {
    await sell('s-1');
    platform.fault('session_failed');
    const pending = await session('s-1');
    await advance(1);
    const lied = await session('s-1');
    const after = await session('s-1');

    expect(pending.status).toBe(202);
    expect(lied.body).toMatchObject({ success: false, eventId: 1099, transactionId: null });
    expect(after.body).toMatchObject({ success: true, eventId: 0, transactionId: expect.any(String) });
  });

  it('is shown as failed for the requested reason', async () => {
    await sell('s-1');
    await advance(1);
    platform.fault('session_failed', { eventId: 1006 });

    expect((await session('s-1')).body).toMatchObject({ success: false, eventId: 1006 });
  });

  it('is shown as successful after a decline, but not while it is open', async () => {
    platform.sim.switches.set('pendingSession', 'body1100');
    await sell('s-1', 9951);
    platform.fault('session_succeeded');
    const pending = await session('s-1');
    await advance(1);

    expect(pending.body).toMatchObject({ success: false, eventId: 1100 });
    expect((await session('s-1')).body).toMatchObject({
      success: true,
      eventId: 0,
      transactionId: expect.any(String),
    });
    expect((await session('s-1')).body).toMatchObject({ success: false, eventId: 1006 });
  });

  it('is shown as failed in a list when it is named, the others unchanged', async () => {
    await sell('s-1');
    await advance(1);
    await sell('s-2');
    await advance(1);
    platform.fault('session_failed', { match: { record: 's-1' } });

    const { text } = await platform.api('GET', '/ecr/v1/sessions', 'pos');

    expect(JSON.parse(text).map(({ sessionId, success }: Record<string, unknown>) => [sessionId, success])).toEqual([
      ['s-1', false],
      ['s-2', true],
    ]);
  });

  it('is shown with another amount in minor units', async () => {
    await sell('s-1');
    await advance(1);
    platform.fault('wrong_amount', { match: { record: 's-1' } });

    expect((await session('s-1')).body).toMatchObject({ amount: 1600, currencyCode: '978' });
  });

  it('that is accepted twice leaves the first one to the payer and shows the second', async () => {
    Object.assign(platform.sim.terminals.find(platform.account.terminals[0]!)!, { mode: 'manual' });
    platform.sim.switches.set('duplicateSession', 'accepted');
    await sell('s-1');
    await sell('s-1');
    await advance(1);

    const waiting = platform.sim.books.sessions.openOn(platform.account.terminals[0]!, platform.clock.now());

    expect(waiting).toMatchObject({ sessionId: 's-1', outcome: null });
    expect((await session('s-1')).body).toMatchObject({ success: false, eventId: 1100 });
  });
});
