import { describe, expect, it } from 'vitest';
import { recordFailure } from '../../../../functions/sale/record-failure/step.ts';
import type { Card } from '../../../../shared/payments/items/card.ts';
import type { Capture, Charge } from '../../../../shared/payments/items/charge.ts';
import { TRANSACTION_ID } from '../../../fakes/viva.ts';
import { CHARGE_ID, MERCHANT_ID, SALE_ID, World } from '../../../fakes/world.ts';

const capture: Capture = {
  captureId: '7e6c1f8e-5b0f-4c57-9a53-0a1b6f2f7f30',
  amount: 3000,
  isvAmount: 0,
  status: 'pending',
  requestedAt: '2026-11-21T10:00:00.000Z',
};
const requested = { status: 'awaiting_card' as const, requestedAt: '2026-11-21T10:00:00.000Z' };

describe('record-failure', () => {
  it('keeps a recorded decline, cancels its additional charge, and frees the terminal', async () => {
    const world = new World();
    world.putSale({ ...requested, status: 'declined', failure: { code: 'CARD_DECLINED' }, chargeId: CHARGE_ID });
    world.putCharge();

    const result = await recordFailure.run(
      { saleId: SALE_ID, state: 'AwaitTerminal', error: 'RejectedError' },
      world,
      world.invocation,
    );

    expect(result).toEqual({ broken: false });
    expect(await world.sale()).toMatchObject({ status: 'declined', failure: { code: 'CARD_DECLINED' } });
    expect(await world.charge()).toMatchObject({ status: 'cancelled', failure: { code: 'SALE_NOT_PAID' } });
    expect(await world.leasedUntil()).toBe(world.seconds(0));
  });

  it('does not change the lease of an unconfirmed sale, because the sale determines how long it holds its terminal', async () => {
    const world = new World();
    world.putSale({ ...requested, status: 'unconfirmed' });

    await recordFailure.run(
      { saleId: SALE_ID, state: 'AwaitTerminal', error: 'RejectedError' },
      world,
      world.invocation,
    );

    expect(await world.leasedUntil()).toBe(world.seconds(300));
  });

  it('ends a sale that was never sent', async () => {
    const world = new World();
    world.putSale();

    await recordFailure.run(
      { saleId: SALE_ID, state: 'SendSaleRequest', error: 'TransientError' },
      world,
      world.invocation,
    );

    expect(await world.sale()).toMatchObject({ status: 'expired', failure: { code: 'SALE_NOT_SENT' } });
  });

  it.each([
    ['marks a sale unconfirmed that may be on the terminal', requested, 'unconfirmed', 'TERMINAL_NOT_ANSWERING'],
    [
      'marks a sale for review whose transaction could not be read',
      { ...requested, transactionId: TRANSACTION_ID },
      'needs_review',
      'TRANSACTION_UNREADABLE',
    ],
  ])('%s', async (_, sale, status, code) => {
    const world = new World();
    world.putSale(sale);

    const result = await recordFailure.run(
      { saleId: SALE_ID, state: 'AwaitTerminal', error: 'FaultError' },
      world,
      world.invocation,
    );

    expect(result).toEqual({ broken: true });
    expect(await world.sale()).toMatchObject({ status, failure: { code } });
  });

  it('keeps the additional charge of an unconfirmed sale, which may still become paid', async () => {
    const world = new World();
    world.putSale({ ...requested, status: 'unconfirmed', chargeId: CHARGE_ID });
    world.putCharge();

    await recordFailure.run(
      { saleId: SALE_ID, state: 'AwaitTerminal', error: 'RejectedError' },
      world,
      world.invocation,
    );

    expect((await world.charge()).status).toBe('created');
  });

  it('keeps a sale paid whose card could not be stored, and fails its charge sealed', async () => {
    const world = new World();
    world.putSale({ ...requested, status: 'paid', chargeId: CHARGE_ID });
    world.putCharge();

    await recordFailure.run(
      { saleId: SALE_ID, state: 'CreateCardToken', error: 'TransientError' },
      world,
      world.invocation,
    );

    expect(await world.sale()).toMatchObject({
      status: 'paid',
      tokenization: { status: 'refused', code: 'TOKENIZATION_UNAVAILABLE' },
    });
    expect(await world.charge()).toMatchObject({
      status: 'failed',
      sealed: true,
      failure: { code: 'TOKENIZATION_UNAVAILABLE' },
    });
  });

  it('fails the charge of a sale with a stored card when the execution failed before the charge', async () => {
    const world = new World();
    world.putSale({ ...requested, status: 'tokenized', tokenization: { status: 'stored' }, chargeId: CHARGE_ID });
    world.putCharge();
    const before = await world.sale();

    await recordFailure.run(
      { saleId: SALE_ID, state: 'CreateCardToken', error: 'Lambda.Unknown' },
      world,
      world.invocation,
    );

    expect(await world.sale()).toEqual(before);
    expect(await world.charge()).toMatchObject({
      status: 'failed',
      sealed: true,
      failure: { code: 'TOKENIZATION_UNAVAILABLE' },
    });
  });

  it.each([
    [
      'a paid sale that was aborted',
      { status: 'paid' as const, abortRequestedAt: '2026-11-21T10:00:00.000Z' },
      'CHARGE_WITHDRAWN',
    ],
    [
      'a sale that was found paid late',
      { status: 'paid' as const, foundLate: { at: '', laterSales: [] } },
      'SALE_NOT_PAID',
    ],
    ['a refunded sale', { status: 'refunded' as const }, 'SALE_REVERSED'],
    ['a sale under review', { status: 'needs_review' as const }, 'SALE_IN_REVIEW'],
  ])('cancels the charge of %s', async (_, sale, code) => {
    const world = new World();
    world.putSale({ ...requested, ...sale, chargeId: CHARGE_ID });
    world.putCharge();

    await recordFailure.run({ saleId: SALE_ID, state: 'AwaitTerminal', error: 'any' }, world, world.invocation);

    expect(await world.charge()).toMatchObject({ status: 'cancelled', sealed: true, failure: { code } });
  });

  it('fails the charge with the reason for which the card was not stored', async () => {
    const world = new World();
    const tokenization = { status: 'refused' as const, code: 'CARD_NOT_TOKENIZABLE' as const };
    world.putSale({ ...requested, status: 'paid', tokenization, chargeId: CHARGE_ID });
    world.putCharge();

    await recordFailure.run({ saleId: SALE_ID, state: 'CreateCardToken', error: 'any' }, world, world.invocation);

    expect(await world.sale()).toMatchObject({ status: 'paid', tokenization });
    expect(await world.charge()).toMatchObject({ status: 'failed', failure: { code: 'CARD_NOT_TOKENIZABLE' } });
  });

  it.each(['declined', 'cancelled', 'expired', 'failed', 'refunded', 'reversed', 'needs_review'] as const)(
    'changes nothing when it runs again for a sale that is %s',
    async (status) => {
      const world = new World();
      world.putSale({ ...requested, status, failure: { code: 'CARD_DECLINED' }, transactionId: TRANSACTION_ID });
      const before = await world.sale();

      for (const state of ['SendSaleRequest', 'AwaitTerminal', 'RetrieveTransaction'] as const) {
        await recordFailure.run({ saleId: SALE_ID, state, error: 'any' }, world, world.invocation);
      }

      expect(await world.sale()).toEqual(before);
    },
  );

  it('fails a charge that was never sent, and marks one that may have been sent for review', async () => {
    const unsent = new World();
    unsent.putCharge();
    const sent = new World();
    sent.putCharge({ status: 'processing', ctokRef: 'ref', sentAt: sent.seconds(1) });

    for (const world of [unsent, sent]) {
      await recordFailure.run(
        { chargeId: CHARGE_ID, state: 'ReconcileCharge', error: 'Lambda.Unknown' },
        world,
        world.invocation,
      );
    }

    expect(await unsent.charge()).toMatchObject({
      status: 'failed',
      sealed: true,
      failure: { code: 'CHARGE_NOT_SENT' },
    });
    expect(await sent.charge()).toMatchObject({ status: 'needs_review', failure: { code: 'OUTCOME_UNKNOWN' } });
  });

  it('expires a charge whose payer never authenticated', async () => {
    const world = new World();
    world.putCharge({ status: 'requires_authentication', ctokRef: 'ref' });

    await recordFailure.run(
      { chargeId: CHARGE_ID, state: 'AwaitAuthentication', error: 'States.Timeout' },
      world,
      world.invocation,
    );

    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'AUTHENTICATION_EXPIRED' } });
  });

  it.each<[string, Partial<Charge>]>([
    ['waits for its capture', {}],
    ['has a capture that was not sent', { captures: [capture] }],
    ['has a capture that may have been made', { captures: [{ ...capture, sentAt: '2026-11-21T10:00:00.000Z' }] }],
    ['may have been released', { voidSentAt: '2026-11-21T10:00:00.000Z' }],
  ])('leaves a hold that %s to the schedule, due at once, however often it runs', async (_, change) => {
    const world = new World();
    const hold = { status: 'authorized' as const, transactionId: TRANSACTION_ID, taskToken: 'token', captures: [] };
    world.putCharge({ ...hold, dueAt: world.seconds(86_400), ...change });

    for (let n = 0; n < 2; n++) {
      await recordFailure.run(
        { chargeId: CHARGE_ID, state: 'AwaitCapture', error: 'Lambda.Unknown' },
        world,
        world.invocation,
      );
    }

    const charge = await world.charge();
    expect(charge).toMatchObject({ ...hold, ...change, dueAt: world.seconds(0) });
    expect(charge.failure).toBeUndefined();
    expect(charge.timeline.map(({ event }) => event)).toEqual(['flow.stopped']);
  });

  it.each([
    'charged',
    'captured',
    'refunded',
    'reversed',
    'declined',
    'expired',
    'cancelled',
    'failed',
    'needs_review',
  ] as const)('does not change a charge that is already %s when it runs again', async (status) => {
    const world = new World();
    world.putCharge({ status, sentAt: world.seconds(0), transactionId: TRANSACTION_ID });
    const before = await world.charge();

    for (const state of ['CreateTransaction', 'Capture', 'Void', 'AwaitAuthentication'] as const) {
      await recordFailure.run({ chargeId: CHARGE_ID, state, error: 'Lambda.Unknown' }, world, world.invocation);
    }

    expect(await world.charge()).toEqual(before);
  });

  it.each([
    ['RetrieveTransaction', 'TRANSACTION_NOT_FOUND'],
    ['CreateCardToken', 'TOKENIZATION_UNAVAILABLE'],
  ] as const)('refuses a request to store a card that failed in %s', async (state, code) => {
    const world = new World();
    putRequest(world, { status: 'pending' });

    await recordFailure.run({ cardId: 'card_request', state, error: 'TransientError' }, world, world.invocation);

    expect(await world.payments.get('card', 'card_request')).toMatchObject({ status: 'refused', failure: { code } });
  });

  it.each(['refused', 'active', 'deleted'] as const)('does not change a card that is %s', async (status) => {
    const world = new World();
    putRequest(world, { status });
    const before = await world.payments.get('card', 'card_request');

    await recordFailure.run(
      { cardId: 'card_request', state: 'CreateCardToken', error: 'any' },
      world,
      world.invocation,
    );

    expect(await world.payments.get('card', 'card_request')).toEqual(before);
  });
});

function putRequest(world: World, change: Pick<Card, 'status'>): void {
  world.payments.put('card', 'card_request', {
    cardId: 'card_request',
    merchantId: MERCHANT_ID,
    transactionId: TRANSACTION_ID,
    timeline: [],
    ...change,
  });
}
