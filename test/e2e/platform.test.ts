import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Clock } from '../../sandbox/clock.ts';
import { type Platform, startPlatform } from '../../sandbox/platform/platform.ts';
import { type Caller, callerOf } from './platform-caller.ts';

let platform: Platform;
let call: Caller;
const clock = new Clock();

beforeAll(async () => {
  platform = await startPlatform({ clock, seed: 7 });
  call = callerOf(platform);
});
afterAll(async () => {
  clock.stop();
  await platform.close();
});
beforeEach(async () => {
  await call.control('POST', '/_sim/reset', {});
});

describe('the card flow of a merchant', () => {
  it('takes a sale, a token, a charge and a captured hold, and the ledger agrees', async () => {
    const shop = call.as(0);
    const sale = await shop.paidSale(1500, 'room 12');
    const legacy = await shop.legacy('GET', `/api/transactions/${sale.transactionId}`);
    const expiry = legacy.json.Transactions[0].CreditCard.ExpirationDate;
    const cardToken = await shop.cardToken(sale.transactionId);

    const charge = await shop.charge(cardToken, 4000, { merchantTrns: 'minibar' });
    const hold = await shop.charge(cardToken, 5000, { preauth: true });
    const capture = await shop.native('POST', `/transactions/${hold.json.transactionId}`, { amount: 3000 });

    expect(expiry).toBe('2031-12-31T00:00:00');
    expect(legacy.text).toContain('"Amount":15.00');
    expect([charge.status, hold.status, capture.status]).toEqual([200, 200, 200]);
    const ledger = await call.control('GET', '/_sim/ledger');
    expect(ledger.json.entries.map((entry: { kind: string; amount: number }) => [entry.kind, entry.amount])).toEqual([
      ['sale', 1500],
      ['charge', 4000],
      ['preauth', 5000],
      ['capture', 3000],
    ]);
    expect(ledger.json.totals.net).toBe(8500);
  });
});
