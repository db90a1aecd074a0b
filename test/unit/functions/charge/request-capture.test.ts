import { beforeEach, describe, expect, it } from 'vitest';
import { requestCapture } from '../../../../functions/charge/request-capture/endpoint.ts';
import type { Capture, Charge } from '../../../../shared/payments/items.ts';
import { charge, chargeId } from '../../../fakes/items.ts';
import { account, call, merchantId, otherMerchantId, type Sent, Shop } from '../../../fakes/storefront.ts';

let shop: Shop;
let woken: string[];

beforeEach(() => {
  shop = new Shop();
  woken = [];
  shop.payments.put('charge', chargeId, charge());
});

function capture(sent: Partial<Sent> & { readonly key?: string } = {}) {
  const { key = 'key-1', ...rest } = sent;
  const completeTask = async (taskToken: string) => {
    woken.push(taskToken);
  };
  return call(
    requestCapture,
    { ...shop.deps, completeTask },
    {
      route: 'POST /charges/{chargeId}/capture',
      parameters: { chargeId },
      headers: { 'Idempotency-Key': key },
      body: { amount: 3000 },
      ...rest,
    },
  );
}

async function captures(): Promise<readonly Capture[]> {
  return (await shop.payments.get('charge', chargeId))?.captures ?? [];
}

describe('POST /charges/{chargeId}/capture', () => {
  it('reserves the capture in the charge, answers 202 with the charge, and wakes the waiting execution', async () => {
    const { status, body, headers } = await capture();

    expect(status).toBe(202);
    expect(headers).toMatchObject({ Location: `/v1/charges/${chargeId}` });
    expect(headers).not.toHaveProperty('Idempotency-Replayed');
    expect(body).toMatchObject({ chargeId, status: 'authorized', captures: [{ amount: 3000, status: 'pending' }] });
    expect(await captures()).toMatchObject([{ amount: 3000, isvAmount: 0, status: 'pending' }]);
    expect(woken).toEqual(['task-token']);
  });

  it('shows neither the hash nor the stored answer', async () => {
    expect((await capture()).text).not.toMatch(/origin|requestHash/);
  });

  it('reserves one capture for concurrent identical requests, and gives them identical answers', async () => {
    const got = await Promise.all(Array.from({ length: 30 }, () => capture()));

    expect(new Set(got.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(got.map(({ text }) => text)).size).toBe(1);
    expect(await captures()).toHaveLength(1);
  });

  it('repeats the first answer, even after the capture was made', async () => {
    const first = await capture();
    const [reserved] = await captures();
    await shop.payments.change('charge', chargeId, () => ({
      status: 'captured' as const,
      captures: [{ ...(reserved as Capture), status: 'done' as const }],
    }));

    const again = await capture();

    expect(again.text).toBe(first.text);
    expect(again.headers['Idempotency-Replayed']).toBe('true');
  });

  it('answers 422 for the same key with another amount', async () => {
    await capture();

    const got = await capture({ body: { amount: 2999 } });

    expect(got.status).toBe(422);
    expect(got.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('answers 409 for another key while a capture is open, and accepts exactly one of many at the same time', async () => {
    const got = await Promise.all(Array.from({ length: 10 }, (_, n) => capture({ key: `key-${n}` })));

    expect(got.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(got.filter(({ body }) => body.code === 'CAPTURE_EXISTS')).toHaveLength(9);
    expect(await captures()).toHaveLength(1);
  });

  it('accepts a capture with another key after one was refused', async () => {
    await capture();
    const [refused] = await captures();
    await shop.payments.change('charge', chargeId, () => ({
      captures: [{ ...(refused as Capture), status: 'refused' as const }],
    }));

    expect((await capture({ key: 'key-2' })).status).toBe(202);
    expect(await captures()).toMatchObject([{ status: 'refused' }, { status: 'pending' }]);
  });

  it('answers 422 for more than the authorized amount, and stores that answer under its key', async () => {
    const first = await capture({ body: { amount: 4001 } });

    const again = await capture({ body: { amount: 4001 } });
    const smaller = await capture();

    expect(first.status).toBe(422);
    expect(first.body.code).toBe('CAPTURE_TOO_LARGE');
    expect(again.text).toBe(first.text);
    expect(smaller.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await captures()).toEqual([]);
  });

  it.each([
    ['not a pre-authorization', { preauth: false, status: 'charged' }],
    ['not authorized yet', { status: 'processing' }],
    ['released', { status: 'expired' }],
    ['about to be released', { voidSentAt: '2026-11-21T08:59:59.000Z' }],
    ['past its capture deadline', { captureBefore: '2026-11-21T09:00:00.000Z' }],
    ['found late', { foundLate: { at: '2026-11-21T08:00:00.000Z', laterSales: [] } }],
    ['under review', { status: 'needs_review', statusBeforeReview: 'authorized' }],
  ] as [string, Partial<Charge>][])('answers 409 for a charge that is %s', async (_, change) => {
    shop.payments.put('charge', chargeId, charge(change));

    const got = await capture();

    expect(got.status).toBe(409);
    expect(got.body.code).toBe('CHARGE_NOT_CAPTURABLE');
  });

  it('accepts an ISV amount for ISV accounts only, and not above the captured amount', async () => {
    const shared = { amount: 3000, isvAmount: 3000 };

    const merchant = await capture({ body: shared });
    shop.payments.put('account', merchantId, account({ mode: 'isv' }));
    const isv = await capture({ body: shared });
    const tooMuch = await capture({ body: { amount: 3000, isvAmount: 3001 } });

    expect(merchant.body.code).toBe('ISV_AMOUNT_NOT_OFFERED');
    expect(isv.status).toBe(202);
    expect(tooMuch.body.errors).toEqual([{ pointer: '/isvAmount', detail: 'must be at most amount' }]);
  });

  it('answers 409 to other keys while it is unknown whether a capture was made', async () => {
    await capture();
    const [reserved] = await captures();
    await shop.payments.change('charge', chargeId, () => ({
      captures: [{ ...(reserved as Capture), sentAt: '2026-11-21T09:00:00.000Z' }],
    }));
    woken = [];

    const repeat = await capture();
    const other = await capture({ key: 'key-2' });

    expect(repeat.status).toBe(202);
    expect(woken).toEqual([]); // the capture was already sent
    expect(other.body.code).toBe('CAPTURE_EXISTS');
  });

  it('requires a key, and a charge of the caller’s merchant', async () => {
    expect((await capture({ headers: {} })).status).toBe(400);
    expect((await capture({ merchants: otherMerchantId })).status).toBe(404);
  });
});

describe('the ISV amount of a capture', () => {
  beforeEach(() => {
    shop.payments.put('account', merchantId, account({ mode: 'isv' }));
    shop.payments.put('charge', chargeId, charge({ isvAmount: 500 }));
  });

  it('stays as authorized for a capture of the whole amount, and is shown', async () => {
    const { status, body } = await capture({ body: { amount: 4000 } });

    expect(status).toBe(202);
    expect(body.captures).toMatchObject([{ amount: 4000, isvAmount: 500 }]);
    expect(await captures()).toMatchObject([{ amount: 4000, isvAmount: 500 }]);
  });

  it.each([0, 500, 700])('is taken from the request when it says %i', async (isvAmount) => {
    await capture({ body: { amount: 4000, isvAmount } });

    expect(await captures()).toMatchObject([{ amount: 4000, isvAmount }]);
  });

  it('is required for a partial capture, because only the ISV knows it', async () => {
    const got = await capture({ body: { amount: 3999 } });

    expect(got).toMatchObject({
      status: 400,
      body: {
        code: 'INVALID_REQUEST',
        errors: [{ pointer: '/isvAmount', detail: expect.stringContaining('required') }],
      },
    });
    expect(await captures()).toEqual([]);
  });

  it('can be added with the same key after it was left out', async () => {
    await capture({ body: { amount: 3000 } });

    const got = await capture({ body: { amount: 3000, isvAmount: 0 } });

    expect(got.status).toBe(202);
    expect(await captures()).toMatchObject([{ amount: 3000, isvAmount: 0 }]);
  });

  it('is not needed for a partial capture when none was authorized', async () => {
    shop.payments.put('charge', chargeId, charge({ isvAmount: 0 }));

    await capture({ body: { amount: 3000 } });

    expect(await captures()).toMatchObject([{ amount: 3000, isvAmount: 0 }]);
  });

  it('does not hide that more was requested than is held', async () => {
    expect((await capture({ body: { amount: 4001 } })).body.code).toBe('CAPTURE_TOO_LARGE');
  });

  it('is not required of a repeat: a capture that was accepted without it gets its answer again', async () => {
    shop.payments.put('charge', chargeId, charge({ isvAmount: 0 }));
    const first = await capture({ body: { amount: 3000 } });
    await shop.payments.change('charge', chargeId, () => ({ isvAmount: 500 }));

    const again = await capture({ body: { amount: 3000 } });

    expect(again.text).toBe(first.text);
  });
});
