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

describe('a capture', () => {
  it('is reserved in the charge, answered 202 with the charge, and wakes the waiting execution', async () => {
    const { status, body, headers } = await capture();

    expect(status).toBe(202);
    expect(headers).toMatchObject({ Location: `/v1/charges/${chargeId}` });
    expect(headers).not.toHaveProperty('Idempotency-Replayed');
    expect(body).toMatchObject({ chargeId, status: 'authorized', captures: [{ amount: 3000, status: 'pending' }] });
    expect(await captures()).toMatchObject([{ amount: 3000, isvAmount: 0, status: 'pending' }]);
    expect(woken).toEqual(['task-token']);
  });

  it('shows neither its hash nor its stored answer', async () => {
    expect((await capture()).text).not.toMatch(/origin|requestHash/);
  });

  it('is one, however many equal requests come at once, and all get equal answers', async () => {
    const got = await Promise.all(Array.from({ length: 30 }, () => capture()));

    expect(new Set(got.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(got.map(({ text }) => text)).size).toBe(1);
    expect(await captures()).toHaveLength(1);
  });

  it('answers a repeat as before, also when it has been done meanwhile', async () => {
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

  it('with the same key and another amount is 422', async () => {
    await capture();

    const got = await capture({ body: { amount: 2999 } });

    expect(got.status).toBe(422);
    expect(got.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('with another key is 409 while there is one, and exactly one of many at once is taken', async () => {
    const got = await Promise.all(Array.from({ length: 10 }, (_, n) => capture({ key: `key-${n}` })));

    expect(got.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(got.filter(({ body }) => body.code === 'CAPTURE_EXISTS')).toHaveLength(9);
    expect(await captures()).toHaveLength(1);
  });

  it('may be asked for again with another key after one was refused', async () => {
    await capture();
    const [refused] = await captures();
    await shop.payments.change('charge', chargeId, () => ({
      captures: [{ ...(refused as Capture), status: 'refused' as const }],
    }));

    expect((await capture({ key: 'key-2' })).status).toBe(202);
    expect(await captures()).toMatchObject([{ status: 'refused' }, { status: 'pending' }]);
  });

  it('larger than the authorization is 422, and stays the answer to its key', async () => {
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
    ['no pre-authorization', { preauth: false, status: 'charged' }],
    ['not authorized yet', { status: 'processing' }],
    ['released', { status: 'expired' }],
    ['about to be released', { voidSentAt: '2026-11-21T08:59:59.000Z' }],
    ['past its time', { captureBefore: '2026-11-21T09:00:00.000Z' }],
    ['found late', { foundLate: { at: '2026-11-21T08:00:00.000Z', laterSales: [] } }],
    ['in review', { status: 'needs_review', statusBeforeReview: 'authorized' }],
  ] as [string, Partial<Charge>][])('of a charge that is %s is 409', async (_, change) => {
    shop.payments.put('charge', chargeId, charge(change));

    const got = await capture();

    expect(got.status).toBe(409);
    expect(got.body.code).toBe('CHARGE_NOT_CAPTURABLE');
  });

  it('takes an ISV share of ISV accounts only, and no larger one than its amount', async () => {
    const shared = { amount: 3000, isvAmount: 3000 };

    const merchant = await capture({ body: shared });
    shop.payments.put('account', merchantId, account({ mode: 'isv' }));
    const isv = await capture({ body: shared });
    const tooMuch = await capture({ body: { amount: 3000, isvAmount: 3001 } });

    expect(merchant.body.code).toBe('ISV_AMOUNT_NOT_OFFERED');
    expect(isv.status).toBe(202);
    expect(tooMuch.body.errors).toEqual([{ pointer: '/isvAmount', detail: 'must be at most amount' }]);
  });

  it('that may have been made keeps others away until it is known', async () => {
    await capture();
    const [reserved] = await captures();
    await shop.payments.change('charge', chargeId, () => ({
      captures: [{ ...(reserved as Capture), sentAt: '2026-11-21T09:00:00.000Z' }],
    }));
    woken = [];

    const repeat = await capture();
    const other = await capture({ key: 'key-2' });

    expect(repeat.status).toBe(202);
    expect(woken).toEqual([]); // it was sent: nobody is woken to send it
    expect(other.body.code).toBe('CAPTURE_EXISTS');
  });

  it('needs a key and a charge of the caller’s merchant', async () => {
    expect((await capture({ headers: {} })).status).toBe(400);
    expect((await capture({ merchants: otherMerchantId })).status).toBe(404);
  });
});

describe('the share of the ISV', () => {
  beforeEach(() => {
    shop.payments.put('account', merchantId, account({ mode: 'isv' }));
    shop.payments.put('charge', chargeId, charge({ isvAmount: 500 }));
  });

  it('is kept by a capture of the whole amount, and shown', async () => {
    const { status, body } = await capture({ body: { amount: 4000 } });

    expect(status).toBe(202);
    expect(body.captures).toMatchObject([{ amount: 4000, isvAmount: 500 }]);
    expect(await captures()).toMatchObject([{ amount: 4000, isvAmount: 500 }]);
  });

  it.each([0, 500, 700])('is what the capture says, if it says %i', async (isvAmount) => {
    await capture({ body: { amount: 4000, isvAmount } });

    expect(await captures()).toMatchObject([{ amount: 4000, isvAmount }]);
  });

  it('has to be said of a part, because nobody but the ISV knows it', async () => {
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

  it('may be said with the same key after it was forgotten', async () => {
    await capture({ body: { amount: 3000 } });

    const got = await capture({ body: { amount: 3000, isvAmount: 0 } });

    expect(got.status).toBe(202);
    expect(await captures()).toMatchObject([{ amount: 3000, isvAmount: 0 }]);
  });

  it('is none of a part where none was authorized', async () => {
    shop.payments.put('charge', chargeId, charge({ isvAmount: 0 }));

    await capture({ body: { amount: 3000 } });

    expect(await captures()).toMatchObject([{ amount: 3000, isvAmount: 0 }]);
  });

  it('does not hide that more was asked for than is held', async () => {
    expect((await capture({ body: { amount: 4001 } })).body.code).toBe('CAPTURE_TOO_LARGE');
  });

  it('is asked for once: a repeat of a capture that was taken without it gets its answer again', async () => {
    shop.payments.put('charge', chargeId, charge({ isvAmount: 0 }));
    const first = await capture({ body: { amount: 3000 } });
    await shop.payments.change('charge', chargeId, () => ({ isvAmount: 500 }));

    const again = await capture({ body: { amount: 3000 } });

    expect(again.text).toBe(first.text);
  });
});
