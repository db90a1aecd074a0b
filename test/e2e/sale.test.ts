import { beforeEach, describe, expect, it } from 'vitest';
import { Till } from './till.ts';

const till = new Till();
beforeEach(() => till.reset());

function kinds(entries: { kind: string; amount: number }[]): string[] {
  return entries.map(({ kind, amount }) => `${kind} ${amount}`);
}

describe('a card-present sale', () => {
  it('is paid, and nothing more, when the card is not stored', async () => {
    const sale = await till.sell({ tokenize: false });

    expect(sale).toMatchObject({
      status: 'paid',
      final: true,
      tokenization: { status: 'none' },
      totals: { terminal: 1500, net: 1500 },
    });
    expect(kinds(await till.ledger(sale.saleId))).toEqual(['sale 1500']);
  });

  it('stores the card', async () => {
    const sale = await till.sell({ customerReference: 'guest-77' });

    expect(sale).toMatchObject({ status: 'tokenized', final: true, tokenization: { status: 'stored' } });
    expect(sale.card).toMatchObject({
      status: 'active',
      expirationMonth: expect.any(Number),
      customerReference: 'guest-77',
    });
    const { body } = await till.api('GET', `/cards/${sale.card.cardId}`);
    expect(body).toMatchObject({ cardId: sale.card.cardId, status: 'active' });
  });

  it('gives a card that is presented again the same id', async () => {
    const first = await till.sell();
    const second = await till.sell();

    expect(second.card.cardId).toBe(first.card.cardId);
    expect(await till.requests('/acquiring/v1/cards/tokens')).toHaveLength(1);
  });

  it('charges the stored card in addition, once', async () => {
    const sale = await till.sell({ additionalCharge: { amount: 4000, customerTrns: 'minibar' } });

    expect(sale).toMatchObject({
      status: 'tokenized',
      additionalCharge: { status: 'charged', final: true, amount: 4000 },
      totals: { terminal: 1500, charged: 4000, authorized: 0, refunded: 0, net: 5500 },
    });
    expect(kinds(await till.ledger(sale.additionalCharge.chargeId))).toEqual(['charge 4000']);
    expect(await till.requests('/nativecheckout/v2/transactions')).toHaveLength(1);
  });

  it.each([
    ['in full', {}, 4000],
    ['in part', { captureAmount: 3000 }, 3000],
  ])('pre-authorizes and captures at once, %s', async (_, extra, captured) => {
    const sale = await till.sell({ additionalCharge: { amount: 4000, preauth: true, capture: 'immediate', ...extra } });

    expect(sale.additionalCharge).toMatchObject({
      status: 'captured',
      authorizedAmount: 4000,
      capturedAmount: captured,
    });
    const { entries } = await till.control('GET', '/_sim/ledger');
    expect(kinds(entries)).toEqual(['sale 1500', 'preauth 4000', `capture ${captured}`]);
  });

  it('holds an amount until it is captured through the API', async () => {
    const { saleId } = await till.startSale({ additionalCharge: { amount: 4000, preauth: true } });
    const held = await till.until(`/sales/${saleId}`, (sale) => sale.additionalCharge.status === 'authorized');
    const { chargeId } = held.additionalCharge;

    const captured = await till.api('POST', `/charges/${chargeId}/capture`, { amount: 2500 }, { key: 'capture-1' });
    const charge = await till.final(`/charges/${chargeId}`);
    const again = await till.api('POST', `/charges/${chargeId}/capture`, { amount: 2500 }, { key: 'capture-2' });

    expect(captured.status).toBe(202);
    expect(charge).toMatchObject({ status: 'captured', capturedAmount: 2500 });
    expect(again).toMatchObject({ status: 409, body: { code: 'CAPTURE_EXISTS' } });
    expect(kinds((await till.control('GET', '/_sim/ledger')).entries)).toEqual([
      'sale 1500',
      'preauth 4000',
      'capture 2500',
    ]);
  });

  it('releases a hold that is not captured in time', async () => {
    const { saleId } = await till.startSale({ additionalCharge: { amount: 4000, preauth: true } });
    await till.until(`/sales/${saleId}`, (sale) => sale.additionalCharge.status === 'authorized');

    await till.control('POST', '/_sim/clock', { advanceSeconds: 6 * 86_400 });

    // A new access token, because the previous one has expired.
    const { body } = await till.api('GET', `/sales/${saleId}`, undefined, { token: await till.freshToken() });
    expect(body.additionalCharge).toMatchObject({ status: 'expired', failure: { code: 'CAPTURE_WINDOW_ENDED' } });
    expect(kinds((await till.control('GET', '/_sim/ledger')).entries)).toEqual([
      'sale 1500',
      'preauth 4000',
      'void 4000',
    ]);
  });
});

describe('an account connected to an ISV', () => {
  it.each(['merchant', 'isv'] as const)(
    'charges and captures with the ISV’s credentials (terminal API of the %s)',
    async (terminalApi) => {
      const connected = new Till('isv', terminalApi === 'isv' ? -1 : 0);
      const extra = terminalApi === 'isv' ? { isvAmount: 10 } : {};

      await connected.reset();
      const charged = await connected.sell({ ...extra, additionalCharge: { amount: 4000, isvAmount: 100 } });
      const captured = await connected.sell({
        additionalCharge: { amount: 2000, preauth: true, capture: 'immediate', captureIsvAmount: 50 },
      });

      expect(charged).toMatchObject({ status: 'tokenized', additionalCharge: { status: 'charged' } });
      expect(captured).toMatchObject({ status: 'tokenized', additionalCharge: { status: 'captured' } });
      const sales = await connected.requests('transactions:sale');
      expect(new Set(sales.map(({ credentialSet }) => credentialSet))).toEqual(
        new Set([terminalApi === 'isv' ? 'isv' : 'pos']),
      );
      const charges = await connected.requests('/nativecheckout/v2/isv/transactions');
      expect(charges.map(({ credentialSet }) => credentialSet)).toEqual(['isv', 'isv']);
      const captures = (await connected.requests('/api/transactions/')).filter(({ method }) => method === 'POST');
      expect(captures.map(({ credentialSet }) => credentialSet)).toEqual(['reseller']);
    },
  );
});

describe('the card of a transaction made elsewhere', () => {
  it('is stored under the id that the card has', async () => {
    const sale = await till.sell({ tokenize: false });

    const asked = await till.api(
      'POST',
      '/cards',
      { merchantId: till.merchant.merchantId, transactionId: sale.transactionId },
      { key: 'card-1' },
    );
    const card = await till.until(asked.headers.get('location')!, ({ status }) => status !== 'pending');
    const later = await till.sell();

    expect(asked.status).toBe(202);
    expect(card).toMatchObject({ status: 'active', final: true, expirationYear: expect.any(Number) });
    expect(later.card.cardId).toBe(card.cardId);
    const list = await till.api('GET', `/cards?merchantId=${till.merchant.merchantId}`);
    expect(list.body.items.map(({ cardId }: { cardId: string }) => cardId)).toEqual([card.cardId]);
  });

  it('is refused when the platform does not know the transaction', async () => {
    const body = { merchantId: till.merchant.merchantId, transactionId: '00000000-0000-4000-8000-00000000dead' };
    const asked = await till.api('POST', '/cards', body, { key: 'card-2' });
    await till.control('POST', '/_sim/clock', { advanceSeconds: 300 });

    const card = await till.final(asked.headers.get('location')!);

    expect(card).toMatchObject({ status: 'refused', failure: { code: 'TRANSACTION_NOT_FOUND' } });
  });
});
