/** What a sale is asked for is stored and shown, and reaches the terminal: for every field that the contract has. */
import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { saleComponents } from '../../../../docs/contract/sale.ts';
import { createSale } from '../../../../functions/sale/create-sale/endpoint.ts';
import { type saleBody, sale as saleSchema } from '../../../../shared/api/schemas/sale.ts';
import type { Charge } from '../../../../shared/payments/items/charge.ts';
import type { Sale } from '../../../../shared/payments/items/sale.ts';
import type { SaleRequest } from '../../../../shared/viva/viva.ts';
import { call, merchantId, Shop, terminalId } from '../../../fakes/storefront.ts';
import { clientOf } from '../../shared/viva/account.ts';

const example = saleComponents.SaleRequest.example as Required<z.input<typeof saleBody>>;
const { saleToAcquirerData: _, ...additionalCharge } = example.additionalCharge; // of some industries only
const body = { ...example, merchantId, terminalId, additionalCharge };

async function created() {
  const shop = new Shop();
  const headers = { 'Idempotency-Key': 'key-1' };
  const answer = await call(createSale, shop.deps, { route: 'POST /sales', body, headers });
  const items = [...shop.payments.items];
  const itemOf = (kind: string) => items.find(([pk]) => pk.startsWith(`${kind}#`))?.[1];
  return { answer, sale: itemOf('sale') as unknown as Sale, charge: itemOf('charge') as unknown as Charge };
}

/** What the terminal is sent. */
async function sent(change: object): Promise<unknown> {
  const { sale } = await created();
  const { viva, asked } = clientOf(() => new Response('', { status: 200 }), { terminalApi: 'isv' });
  await viva.sendSale({ ...sale, merchantReference: 'x', sendBefore: '2100-01-01T00:00:00.000Z', ...change });
  return JSON.parse(asked()[0]?.body ?? '');
}

/** Another value for each field that the terminal is told. */
const others: Required<Omit<SaleRequest, 'sendBefore'>> = {
  saleId: 'another',
  merchantReference: 'another',
  terminalId: '16009999',
  cashRegisterId: 'till-2',
  amount: 1600,
  currency: 'RON',
  customerTrns: 'another',
  tipAmount: 7,
  isvAmount: 8,
  maxInstallments: 9,
  sourceCode: '4321',
  fiscal: { aadeProviderId: '900' },
};

describe('every field that a sale is asked for', () => {
  it('is stored with the sale, and with its charge', async () => {
    const { answer, sale, charge } = await created();
    const { additionalCharge: asked, consent, ...fields } = body;

    expect(answer.status).toBe(202);
    expect(sale).toMatchObject({ ...fields, consent: { ...consent, at: '2026-11-21T09:59:00.000Z' } });
    expect(charge).toMatchObject(asked);
  });

  it('is shown as it was asked for, where the resource has it', async () => {
    const { answer } = await created();
    const { additionalCharge: __, ...fields } = body;
    const shown = Object.entries(fields).filter(([name]) => name in saleSchema.shape);

    expect(shown.length).toBeGreaterThan(4);
    expect(answer.body).toMatchObject(Object.fromEntries(shown));
  });

  it.each(Object.entries(others))('reaches the terminal, if it is told at all: %s', async (name, value) => {
    expect(await sent({ [name]: value })).not.toEqual(await sent({}));
  });
});
