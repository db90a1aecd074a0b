import { beforeEach, describe, expect, it } from 'vitest';
import { presentCard } from '../../../../../sandbox/viva/books/cards.ts';
import { hold, pay } from '../../../../../sandbox/viva/books/money.ts';
import { approveThenReverse, openSession } from '../../../../../sandbox/viva/terminals/card-presence.ts';
import type { Session } from '../../../../../sandbox/viva/terminals/sessions.ts';
import { FakeSimulator } from '../../../../fakes/simulator.ts';

let platform: FakeSimulator;
beforeEach(() => {
  platform = new FakeSimulator();
});

const DAY = 86_400;
const advance = (seconds: number) => platform.clock.advance(platform.clock.now() + seconds * 1000);

function paid(amount: number, merchantTrns = 'room 12 sale-1') {
  const card = presentCard('visa', platform.clock.now());
  return pay(platform.sim, 'sale', { account: platform.account, card, amount, merchantTrns });
}

async function record(transactionId: string) {
  const { Transactions } = (await platform.base('GET', `/api/transactions/${transactionId}`)).body;
  const { StatusId, ParentId, Amount, MerchantTrns, TransactionType } = Transactions[0];
  return { StatusId, ParentId, Amount, MerchantTrns, type: TransactionType.TransactionTypeId };
}

const giveBack = async (transactionId: string, query = '') =>
  (await platform.base('DELETE', `/api/transactions/${transactionId}${query}`)).body;
const kinds = () => platform.sim.books.ledger.entries({}).map(({ kind, amount }) => `${kind} ${amount}`);

describe('money that the merchant returns at the platform', () => {
  it('is a void of type 7 for a whole payment of the same day, and the payment shows X', async () => {
    const sale = paid(1500);
    const { TransactionId } = await giveBack(sale.transactionId);

    expect(await record(sale.transactionId)).toMatchObject({ StatusId: 'X', ParentId: null, type: 5 });
    expect(await record(TransactionId)).toEqual({
      StatusId: 'F',
      ParentId: sale.transactionId,
      Amount: 15,
      MerchantTrns: '',
      type: 7,
    });
    expect(kinds()).toEqual(['sale 1500', 'void 1500']);
  });

  it('is a refund of type 4 on a later day with the caller’s reference, and the payment shows R', async () => {
    const sale = paid(1500);
    await advance(DAY);
    const { TransactionId } = await giveBack(sale.transactionId, '?merchantTrns=by+hand');

    expect(await record(sale.transactionId)).toMatchObject({ StatusId: 'R' });
    expect(await record(TransactionId)).toMatchObject({
      ParentId: sale.transactionId,
      MerchantTrns: 'by hand',
      type: 4,
    });
    expect(kinds()).toEqual(['sale 1500', 'refund 1500']);
  });

  it('leaves R and a child of type 4 for each part, never more than was paid', async () => {
    const sale = paid(1500);
    const parts = [
      await giveBack(sale.transactionId, '?amount=500'),
      await giveBack(sale.transactionId, '?amount=400'),
    ];
    const tooMuch = await giveBack(sale.transactionId, '?amount=601');

    expect(await record(sale.transactionId)).toMatchObject({ StatusId: 'R', Amount: 15 });
    for (const { TransactionId } of parts) {
      expect(await record(TransactionId)).toMatchObject({ StatusId: 'F', ParentId: sale.transactionId, type: 4 });
    }
    expect(tooMuch).toMatchObject({ ErrorCode: 403, Success: false });
    expect(kinds()).toEqual(['sale 1500', 'refund 500', 'refund 400']);
  });

  it('is a child of the capture for a captured hold', async () => {
    const card = presentCard('visa', platform.clock.now());
    const preauth = hold(platform.sim, { account: platform.account, card, amount: 4000, merchantTrns: 'charge-1' });
    const taken = await platform.base('POST', `/api/transactions/${preauth.transactionId}`, { amount: 3000 });
    await advance(DAY);
    const { TransactionId } = await giveBack(taken.body.TransactionId);

    expect(await record(preauth.transactionId)).toMatchObject({ StatusId: 'C', type: 1 });
    expect(await record(taken.body.TransactionId)).toMatchObject({
      StatusId: 'R',
      ParentId: preauth.transactionId,
      type: 0,
    });
    expect(await record(TransactionId)).toMatchObject({ ParentId: taken.body.TransactionId, type: 4 });
  });
});

describe('a payment that the platform reverses by itself', () => {
  function reversedLater(delaySeconds?: number) {
    const { sim, account } = platform;
    const session: Session = {
      sessionId: 's-1',
      merchantId: account.merchantId,
      terminalId: account.terminals[0]!,
      cashRegisterId: 'till-1',
      amount: 1500,
      currencyCode: '978',
      merchantReference: 'room 12 sale-1',
      customerTrns: '',
      tipAmount: 0,
      installments: 0,
      parentSessionId: null,
      isvDetails: null,
      isvAmount: 0,
      openedMs: sim.clock.now(),
      timers: [],
      outcome: null,
      abortedMs: null,
    };
    openSession(sim, session, { ...sim.terminals.find(account.terminals[0]!)!, mode: 'manual' });
    approveThenReverse(sim, session, 'visa', delaySeconds);
    return session.outcome!.transaction!;
  }

  it('shows X, with a child of type 7 of the same reference and amount', async () => {
    const { transactionId } = reversedLater();
    const before = await record(transactionId);
    await advance(2);
    const reversal = platform.sim.books.ledger.entries({}).find(({ kind }) => kind === 'reversal')!;

    expect(before).toMatchObject({ StatusId: 'F' });
    expect(await record(transactionId)).toMatchObject({ StatusId: 'X', MerchantTrns: 'room 12 sale-1' });
    expect(await record(reversal.transactionId)).toEqual({
      StatusId: 'F',
      ParentId: transactionId,
      Amount: 15,
      MerchantTrns: 'room 12 sale-1',
      type: 7,
    });
  });

  it('loses the rest of its amount when this happens days later', async () => {
    const { transactionId } = reversedLater(3 * DAY);
    await advance(DAY);
    await giveBack(transactionId, '?amount=400');
    await advance(3 * DAY);

    expect(kinds()).toEqual(['sale 1500', 'refund 400', 'reversal 1100']);
  });

  it('is not reversed again when nothing is left of it', async () => {
    const { transactionId } = reversedLater(3 * DAY);
    await giveBack(transactionId);
    await advance(4 * DAY);

    expect(kinds()).toEqual(['sale 1500', 'void 1500']);
  });
});
