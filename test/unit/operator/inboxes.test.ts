import { beforeEach, describe, expect, it } from 'vitest';
import { inboxesAbout, inboxesTo } from '../../../operator/inboxes.ts';
import { storeWebhook } from '../../../shared/webhooks/inbox.ts';
import { webhookTypes } from '../../../shared/webhooks/webhook.ts';
import { charge, chargeId, sale, saleId } from '../../fakes/items.ts';
import { RfShop } from '../../fakes/rf-shop.ts';
import { merchantId } from '../../fakes/storefront.ts';
import { receivedWebhook, TRANSACTION_ID } from '../../fakes/webhooks.ts';

const OTHER_MERCHANT = '0b9f4a52-6d0e-4c53-8f1c-6a3f0d3c9a88';

let shop: RfShop;
beforeEach(() => {
  shop = new RfShop();
});

async function deliver(recipient: string, ...subjects: readonly string[]): Promise<void> {
  for (const subject of subjects) {
    shop.now += 1_000;
    await storeWebhook(
      shop.payments,
      receivedWebhook(recipient, { eventTypeId: webhookTypes.paymentCreated, subject }),
      shop.now,
    );
  }
}

const shown = async (name: string) => (await inboxesAbout(shop.payments, name)).map(({ subject }) => subject);

describe('the inboxes of a resource', () => {
  it('are those of an RF order, its order codes and its payments, for each of these ids', async () => {
    await shop.post();
    const { rfOrderId, orderCode = '' } = await shop.order();
    await shop.payments.change('rf-order', rfOrderId, () => ({
      payments: [{ transactionId: TRANSACTION_ID, amount: 4200, at: '2026-11-21T09:00:00.000Z' }],
    }));
    await deliver(merchantId, TRANSACTION_ID, orderCode, rfOrderId, saleId);

    for (const name of [rfOrderId, orderCode]) {
      expect((await shown(name)).toSorted()).toEqual([TRANSACTION_ID, orderCode, rfOrderId].toSorted());
    }
    expect(await shown(TRANSACTION_ID)).toEqual([TRANSACTION_ID]);
  });

  it('are those of a sale and its transaction, or of a charge, its transaction and its captures', async () => {
    const capture = { amount: 1, isvAmount: 0, status: 'done' as const, requestedAt: '2026-11-21T09:00:00.000Z' };
    shop.payments.put('sale', saleId, sale({ transactionId: 'sold' }));
    shop.payments.put(
      'charge',
      chargeId,
      charge({ transactionId: 'charged', captures: [{ ...capture, captureId: 'capture', transactionId: 'captured' }] }),
    );
    await deliver(merchantId, 'sold', saleId, 'captured', 'capture', 'charged', chargeId);

    expect(await shown(saleId)).toEqual([saleId, 'sold']);
    expect(await shown(chargeId)).toEqual([chargeId, 'charged', 'capture', 'captured']);
  });

  it('are none for a refused request or an unknown id', async () => {
    const refusal = { ...sale(), refusedWith: 409 };
    shop.payments.put('sale', saleId, refusal);

    expect(await shown(saleId)).toEqual([]);
    expect(await shown('nothing')).toEqual([]);
  });
});

describe('the webhooks of an account', () => {
  const filed = async (account: string, ...connected: readonly string[]) => {
    const subjects: string[] = [];
    for await (const { subject } of inboxesTo(shop.payments, account, connected)) {
      subjects.push(subject);
    }
    return subjects;
  };

  it('include those of the ISV when the account is connected to it', async () => {
    await deliver('isv', 'both', 'of-isv');
    await deliver(merchantId, 'both', 'own');

    expect(await filed(merchantId)).toEqual(['own']);
    await shop.payments.change('account', merchantId, () => ({ mode: 'isv' as const }));
    expect(await filed(merchantId)).toEqual(['own', 'of-isv', 'both']);
  });

  it('of an ISV include those of the connected merchants that they name, each once', async () => {
    await deliver(merchantId, 'both');
    await deliver('isv', 'both', 'of-isv');
    await deliver(OTHER_MERCHANT, 'other');

    expect(await filed('isv')).toEqual(['of-isv']);
    expect(await filed('isv', merchantId, 'isv', merchantId)).toEqual(['of-isv', 'both']);
  });
});
