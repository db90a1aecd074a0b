import { beforeEach, describe, expect, it } from 'vitest';
import { readResource } from '../../../../functions/api/read-resource/endpoint.ts';
import { card, cardId, charge, chargeId, sale, saleId } from '../../../fakes/items.ts';
import { RfShop } from '../../../fakes/rf-shop.ts';
import { call, otherMerchantId, type Sent, Shop } from '../../../fakes/storefront.ts';

let shop: Shop;

beforeEach(() => {
  shop = new Shop();
});

const get = (route: string, parameters: Record<string, string>, sent: Partial<Sent> = {}) =>
  call(readResource, shop.deps, { route, parameters, ...sent });
const getSale = (headers: Sent['headers'] = {}) => get('GET /sales/{saleId}', { saleId }, { headers });
const getCharge = () => get('GET /charges/{chargeId}', { chargeId });
const getCard = (id = cardId) => get('GET /cards/{cardId}', { cardId: id });

describe('GET /sales/{saleId}', () => {
  it('shows the sale with its charge, its card, its totals and one timeline in order of time', async () => {
    shop.payments.put('card', cardId, card());
    shop.payments.put('charge', chargeId, charge({ preauth: false, status: 'charged', authorizedAmount: 0, saleId }));
    shop.payments.put(
      'sale',
      saleId,
      sale({
        status: 'tokenized',
        chargeId,
        tokenization: { status: 'stored' },
        card: { cardId, expirationMonth: 12, expirationYear: 2030, maskedNumber: '…1111' },
        timeline: [
          { at: '2026-11-21T09:00:00.000Z', event: 'sale.created' },
          { at: '2026-11-21T09:00:07.000Z', event: 'card.stored' },
        ],
      }),
    );

    const { body, headers } = await getSale();

    expect(headers).toMatchObject({ ETag: '"1-1-1"', 'Content-Type': 'application/json' });
    expect(body).toMatchObject({
      status: 'tokenized',
      final: true,
      totals: { terminal: 1500, charged: 4000, authorized: 0, refunded: 0, net: 5500 },
      card: { cardId, status: 'active', maskedNumber: '…1111', customerReference: 'guest-77' },
      additionalCharge: { chargeId, status: 'charged', final: true },
    });
    expect(body.timeline.map(({ event }: { event: string }) => event)).toEqual([
      'sale.created',
      'charge.authorized',
      'card.stored',
    ]);
  });

  it.each([
    ['for two minutes while it is unconfirmed', {}, '2026-11-21T09:02:00.000Z'],
    ['no longer when the platform has stopped it', { terminalStoppedAt: '2026-11-21T09:01:00.000Z' }, undefined],
    ['no longer when its payment was found', { transactionId: 'c0ffee00-0000-4000-8000-000000000001' }, undefined],
    ['as any open sale', { status: 'awaiting_card' as const }, undefined],
    ['not at all when it has ended', { status: 'expired' as const }, undefined],
  ])('shows that the sale holds its terminal %s', async (_, change, heldUntil) => {
    const requestedAt = '2026-11-21T09:00:00.000Z';
    shop.payments.put('sale', saleId, sale({ status: 'unconfirmed', requestedAt, ...change }));

    expect((await getSale()).body.terminalHeldUntil).toBe(heldUntil);
  });

  it('shows an authorized charge as not paid and the sale as not final while the hold stands', async () => {
    shop.payments.put('charge', chargeId, charge({ saleId }));
    shop.payments.put('sale', saleId, sale({ status: 'tokenized', chargeId, tokenization: { status: 'stored' } }));

    const { body } = await getSale();

    expect(body.totals).toEqual({ terminal: 1500, charged: 0, authorized: 4000, refunded: 0, net: 1500 });
    expect(body.final).toBe(false);
  });

  it('counts only the captured amount', async () => {
    shop.payments.put('charge', chargeId, charge({ saleId, status: 'captured', capturedAmount: 3000 }));
    shop.payments.put('sale', saleId, sale({ status: 'tokenized', chargeId, tokenization: { status: 'stored' } }));

    const { body } = await getSale();

    expect(body.totals).toEqual({ terminal: 1500, charged: 3000, authorized: 0, refunded: 0, net: 4500 });
    expect(body.final).toBe(true);
  });

  it('shows a paid sale as final only when its card is stored or refused', async () => {
    shop.payments.put('sale', saleId, sale({ status: 'paid' }));
    const pending = await getSale();
    const refused = { status: 'refused' as const, code: 'CARD_NOT_TOKENIZABLE' as const };
    await shop.payments.change('sale', saleId, () => ({ tokenization: refused }));

    const refusedCard = await getSale();

    expect(pending.body.final).toBe(false);
    expect(refusedCard.body).toMatchObject({ final: true, tokenization: refused });
  });

  it('shows a card only once it is stored', async () => {
    const expiry = { expirationMonth: 12, expirationYear: 2030 };
    shop.payments.put('card', cardId, card());
    shop.payments.put('sale', saleId, sale({ status: 'paid', card: { cardId, ...expiry } }));
    const before = await getSale();
    await shop.payments.change('sale', saleId, () => ({ tokenization: { status: 'stored' as const } }));

    const after = await getSale();

    expect(before.headers['ETag']).toBe('"1"');
    expect(before.body).not.toHaveProperty('card');
    expect(after.headers['ETag']).toBe('"2-1"');
    expect(after.body.card).toMatchObject({ cardId, customerReference: 'guest-77' });
  });

  it.each([
    ['tokenized', 1500],
    ['refunded', 1500],
    ['reversed', 1500],
    ['declined', 0],
    ['unconfirmed', 0],
  ] as const)('counts a sale under review that was %s before as paid with %i', async (statusBeforeReview, terminal) => {
    shop.payments.put('sale', saleId, sale({ status: 'needs_review', statusBeforeReview }));

    expect((await getSale()).body.totals.terminal).toBe(terminal);
  });

  it.each([
    ['charged', { charged: 4000, authorized: 0 }],
    ['captured', { charged: 4000, authorized: 0 }],
    ['refunded', { charged: 4000, authorized: 0 }],
    ['reversed', { charged: 4000, authorized: 0 }],
    ['authorized', { charged: 0, authorized: 4000 }],
    ['processing', { charged: 0, authorized: 0 }],
    ['declined', { charged: 0, authorized: 0 }],
  ] as const)('counts a charge by its status, or by its status before its review: %s', async (status, totals) => {
    shop.payments.put('sale', saleId, sale({ status: 'tokenized', chargeId, tokenization: { status: 'stored' } }));
    for (const change of [{ status }, { status: 'needs_review' as const, statusBeforeReview: status }]) {
      shop.payments.put('charge', chargeId, charge({ saleId, ...change }));

      expect((await getSale()).body.totals).toMatchObject({ terminal: 1500, ...totals });
    }
  });

  it('takes the later time of the sale and its charge as the time of the last update', async () => {
    shop.payments.put('sale', saleId, sale({ status: 'tokenized', chargeId, tokenization: { status: 'stored' } }));
    const alone = await getSale();
    shop.now += 1_000;
    shop.payments.put('charge', chargeId, charge({ saleId }));
    const charged = await getSale();
    shop.now += 1_000;
    await shop.payments.change('sale', saleId, () => ({ refundedAmount: 100 }));

    expect([alone, charged, await getSale()].map(({ body }) => body.updatedAt)).toEqual([
      '2026-11-21T09:00:00.000Z',
      '2026-11-21T09:00:01.000Z',
      '2026-11-21T09:00:02.000Z',
    ]);
    expect(charged.body.createdAt).toBe('2026-11-21T09:00:00.000Z');
  });

  it('subtracts what was refunded of the sale and of its charge', async () => {
    shop.payments.put('charge', chargeId, charge({ saleId, status: 'charged', refundedAmount: 300 }));
    shop.payments.put(
      'sale',
      saleId,
      sale({ status: 'tokenized', chargeId, tokenization: { status: 'stored' }, refundedAmount: 500 }),
    );

    expect((await getSale()).body).toMatchObject({
      refundedAmount: 500,
      totals: { terminal: 1500, charged: 4000, refunded: 800, net: 4700 },
      additionalCharge: { refundedAmount: 300 },
    });
  });

  it('shows that a payment was found late, and keeps showing it after newer sales', async () => {
    const foundLate = { at: '2026-11-21T09:30:00.000Z', laterSales: ['later'] };
    shop.payments.put('sale', saleId, sale({ status: 'paid', foundLate }));

    expect((await getSale()).body).toMatchObject({ failure: { code: 'SALE_PAID_LATE' }, laterSales: ['later'] });
  });

  it('is not final while a review can still resolve itself, and final a day later', async () => {
    const review = { status: 'needs_review' as const, reconciledUntil: '2026-11-22T09:00:00.000Z' };
    shop.payments.put('sale', saleId, sale(review));
    const undecided = await getSale();
    await shop.payments.change('sale', saleId, () => ({ reconciledUntil: undefined }));

    expect(undecided.body.final).toBe(false);
    expect((await getSale()).body.final).toBe(true);
  });

  it.each([
    ['declined', 'none'],
    ['needs_review', 'none'],
    ['refunded', 'none'],
    ['paid', 'pending'],
    ['awaiting_card', 'pending'],
    ['unconfirmed', 'pending'],
  ] as const)('shows the card of a sale that is %s as %s', async (status, tokenization) => {
    shop.payments.put('sale', saleId, sale({ status }));

    expect((await getSale()).body.tokenization).toEqual({ status: tokenization });
  });

  it('explains in a sentence why a sale was declined, and shows that nothing was taken', async () => {
    const failure = { code: 'CARD_DECLINED' as const, platform: { status: 200, eventId: '10051' } };
    shop.payments.put('sale', saleId, sale({ status: 'declined', failure }));

    const { body } = await getSale();

    expect(body).toMatchObject({
      final: true,
      tokenization: { status: 'none' },
      totals: { net: 0 },
      failure: { ...failure, retryable: true, message: expect.stringMatching(/declined/) },
    });
  });

  it('shows no token, no hash and no customer data', async () => {
    shop.payments.put('charge', chargeId, charge({ saleId }));
    shop.payments.put('sale', saleId, sale({ status: 'paid', chargeId, taskToken: 'task-token' }));

    const { text } = await getSale();

    expect(text).not.toMatch(/task-token|reference-of-a-token|Papadopoulou|hash|executionArn/);
  });
});

describe('a resource that the caller cannot see', () => {
  it.each([
    ['a sale of another merchant', { merchants: otherMerchantId }],
    ['unknown', { parameters: { saleId: 'nonsense' } }],
  ])('answers 404 for %s', async (_, sent) => {
    shop.payments.put('sale', saleId, sale());

    const got = await get('GET /sales/{saleId}', { saleId }, sent);

    expect(got.status).toBe(404);
    expect(got.headers['Content-Type']).toBe('application/problem+json');
    expect(got.body).toMatchObject({ code: 'NOT_FOUND', status: 404, requestId: 'request-1' });
  });

  it('answers 404 for a forgotten card', async () => {
    shop.payments.put('card', cardId, card({ status: 'deleted' }));

    expect((await getCard()).status).toBe(404);
  });
});

describe('GET /charges/{chargeId}', () => {
  it('shows null for the capture deadline when nothing has to be captured', async () => {
    const { captureBefore: _, ...plain } = charge({ preauth: false, status: 'charged' });
    shop.payments.put('charge', chargeId, plain);

    const { body } = await getCharge();

    expect(body).toMatchObject({ chargeId, final: true, captureBefore: null, captures: [], refunds: [] });
  });

  it('shows that a charge was found late, and keeps showing it', async () => {
    const foundLate = { at: '2026-11-21T09:30:00.000Z', laterSales: [] };
    shop.payments.put('charge', chargeId, charge({ preauth: false, status: 'charged', foundLate }));

    expect((await getCharge()).body.failure).toMatchObject({ code: 'CHARGE_MADE_LATE' });
  });

  it('is not final while a review can still resolve itself', async () => {
    const review = { status: 'needs_review' as const, reconciledUntil: '2026-11-22T09:00:00.000Z' };
    shop.payments.put('charge', chargeId, charge(review));

    expect((await getCharge()).body.final).toBe(false);
  });

  it('names no next action when none is needed', async () => {
    shop.payments.put('charge', chargeId, charge({ status: 'processing' }));

    expect((await getCharge()).body).not.toHaveProperty('nextAction');
  });

  it('names the next action when the payer has to authenticate', async () => {
    shop.payments.put('charge', chargeId, charge({ status: 'requires_authentication' }));

    expect((await getCharge()).body.nextAction).toEqual({ type: 'authenticate' });
  });
});

describe('GET /rf-orders/{rfOrderId}', () => {
  it('shows the order with its code to its merchant only, with the revision as its ETag', async () => {
    const rf = new RfShop();
    const { body: created } = await rf.post();
    const getOrder = (merchants: string) =>
      call(
        readResource,
        { ...shop.deps, payments: rf.payments },
        {
          route: 'GET /rf-orders/{rfOrderId}',
          parameters: { rfOrderId: created.rfOrderId },
          merchants,
        },
      );

    const got = await getOrder('all');

    const { revision } = await rf.order();
    expect(got).toMatchObject({ status: 200, headers: { ETag: `"${revision}"` } });
    expect(got.body).toMatchObject({ rfOrderId: created.rfOrderId, rfCode: created.rfCode, status: 'pending' });
    expect((await getOrder(otherMerchantId)).status).toBe(404);
  });
});

describe('GET /cards/{cardId}', () => {
  it('finds a card by the id of the request that stored it, and shows the card’s own id', async () => {
    const requestId = `card_${'cd'.repeat(16)}`;
    shop.payments.put('card', requestId, card({ cardId: requestId, aliasOf: cardId }));
    shop.payments.put('card', cardId, card());

    expect((await getCard(requestId)).body).toMatchObject({ cardId, status: 'active', final: true });
  });

  it('shows a card as expired once its month has ended in every time zone, with a new ETag', async () => {
    shop.payments.put('card', cardId, card({ expirationYear: 2026, expirationMonth: 11 }));
    shop.now = Date.parse('2026-12-01T11:59:59Z');
    const before = await getCard();
    shop.now = Date.parse('2026-12-01T12:00:00Z');

    const after = await getCard();

    expect(before.body.status).toBe('active');
    expect(after.body.status).toBe('expired');
    expect(after.headers['ETag']).not.toBe(before.headers['ETag']);
  });
});

describe('Prefer: wait', () => {
  it('answers 304 when the caller has seen the current revision', async () => {
    shop.payments.put('sale', saleId, sale());
    const { headers } = await getSale();

    const again = await getSale({ 'If-None-Match': `W/${headers['ETag']}` });

    expect(again.status).toBe(304);
    expect(again.text).toBe('');
  });

  it('answers as soon as the sale is final', async () => {
    shop.payments.put('sale', saleId, sale());
    const began = shop.now;
    const answering = getSale({ Prefer: 'wait=10' });
    while (shop.now < began + 2_000) {
      await Promise.resolve();
    }
    await shop.payments.change('sale', saleId, () => ({ status: 'declined' as const }));

    const { status, headers, body } = await answering;

    expect(status).toBe(200);
    expect(headers['Preference-Applied']).toBe('wait=10');
    expect(body.final).toBe(true);
    expect(shop.now - began).toBeLessThan(3_000);
  });

  it('answers as soon as the revision differs from the caller’s', async () => {
    shop.payments.put('sale', saleId, sale());
    const began = shop.now;
    const answering = getSale({ Prefer: 'wait=10', 'If-None-Match': '"1"' });
    while (shop.now < began + 2_000) {
      await Promise.resolve();
    }
    await shop.payments.change('sale', saleId, () => ({ status: 'unconfirmed' as const }));

    const { status, body } = await answering;

    expect(status).toBe(200);
    expect(body.status).toBe('unconfirmed');
  });

  it.each([
    ['304 when the caller has seen the revision', { 'If-None-Match': '"1"' }, 304],
    ['200 when the caller has not seen it', {}, 200],
  ])('stops waiting after the requested time, with %s', async (_, headers, status) => {
    shop.payments.put('sale', saleId, sale());
    const began = shop.now;

    const got = await getSale({ Prefer: 'respond-async, wait=3', ...headers });

    expect(got.status).toBe(status);
    expect(shop.now - began).toBe(3_000);
  });

  it.each([
    ['nothing', {}],
    ['another preference', { Prefer: 'respond-async' }],
    ['no time', { Prefer: 'wait' }],
    ['a value that is not a number', { Prefer: 'wait=soon' }],
  ])('does not wait, and does not confirm a wait, for %s', async (_, headers) => {
    shop.payments.put('sale', saleId, sale());
    const began = shop.now;

    const got = await getSale(headers);

    expect(got.headers).not.toHaveProperty('Preference-Applied');
    expect(shop.now).toBe(began);
  });

  it.each([
    ['wait=1, wait=5', 'wait=1'],
    ['Wait = "2" ; strict, respond-async', 'wait=2'],
    ['respond-async;wait=3,  wait=4', 'wait=4'],
    ['wait=0', 'wait=0'],
  ])('reads the preference %j as %s', async (Prefer, applied) => {
    shop.payments.put('sale', saleId, sale());

    expect((await getSale({ Prefer })).headers['Preference-Applied']).toBe(applied);
  });

  it('ends the wait two seconds before the invocation ends', async () => {
    shop.payments.put('sale', saleId, sale());
    const began = shop.now;
    const request = {
      ...{ requestId: 'request-1', route: 'GET /sales/{saleId}', path: '/v1/sales', sourceIp: '', body: undefined },
      ...{ parameters: { saleId }, secrets: {}, query: {} },
      header: (name: string) => (name === 'Prefer' ? ['wait=20'] : []),
      caller: { client: 'till', issuer: '', mayActFor: () => true },
    };

    await readResource.run(request, shop.deps, { remainingMs: () => 5_000 - (shop.now - began) });

    expect(shop.now - began).toBe(3_000);
  });

  it('waits at most 20 seconds', async () => {
    shop.payments.put('sale', saleId, sale());
    const began = shop.now;

    const { headers } = await getSale({ Prefer: 'wait=600' });

    expect(headers['Preference-Applied']).toBe('wait=20');
    expect(shop.now - began).toBe(20_000);
  });
});

it('refuses an unknown query parameter', async () => {
  shop.payments.put('sale', saleId, sale());

  const got = await get('GET /sales/{saleId}', { saleId }, { query: { expand: 'card' } });

  expect(got.status).toBe(400);
  expect(got.body.errors).toEqual([{ parameter: 'expand', detail: 'is not a parameter of this request' }]);
});
