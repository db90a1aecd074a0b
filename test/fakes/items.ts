/** Items as an execution leaves them, for what the API reads and changes. */
import type { Card } from '../../shared/payments/items/card.ts';
import type { Charge } from '../../shared/payments/items/charge.ts';
import type { Sale } from '../../shared/payments/items/sale.ts';
import type { NewItem } from '../../shared/payments/store.ts';
import { merchantId, terminalId } from './storefront.ts';

export const saleId = '5b0f4c57-9a53-4a1b-8f2f-7f107e6c1f8e';
export const chargeId = '0b9f4a52-6d0e-4c53-8f1c-6a3f0d3c9a77';
export const cardId = `card_${'ab'.repeat(16)}`;

export function sale(change: Partial<Sale> = {}): NewItem<'sale'> {
  return {
    saleId,
    merchantId,
    terminalId,
    cashRegisterId: 'till-1',
    amount: 1500,
    currency: 'EUR',
    tipAmount: 0,
    isvAmount: 0,
    maxInstallments: 0,
    tokenize: true,
    customerReference: 'guest-77',
    status: 'awaiting_card',
    sendBefore: '2026-11-21T09:00:30.000Z',
    tokenization: { status: 'pending' },
    executionArn: 'arn',
    origin: { requestHash: 'hash', answer: '{}' },
    timeline: [{ at: '2026-11-21T09:00:00.000Z', event: 'sale.created' }],
    ...change,
  };
}

export function charge(change: Partial<Charge> = {}): NewItem<'charge'> {
  return {
    chargeId,
    merchantId,
    amount: 4000,
    currency: 'EUR',
    preauth: true,
    capture: 'manual',
    moto: true,
    installments: 0,
    allowsRecurring: false,
    isvAmount: 0,
    customer: { fullname: 'M. Papadopoulou' },
    status: 'authorized',
    ctokRef: 'reference-of-a-token',
    taskToken: 'task-token',
    transactionId: 'c0ffee00-0000-4000-8000-000000000001',
    authorizedAmount: 4000,
    capturedAmount: 0,
    captureBefore: '2026-11-26T09:00:00.000Z',
    captures: [],
    refunds: [],
    executionArn: 'arn',
    timeline: [{ at: '2026-11-21T09:00:05.000Z', event: 'charge.authorized' }],
    ...change,
  };
}

export function card(change: Partial<Card> = {}): NewItem<'card'> {
  return {
    cardId,
    merchantId,
    status: 'active',
    transactionId: 'c0ffee00-0000-4000-8000-000000000002',
    expirationMonth: 12,
    expirationYear: 2030,
    maskedNumber: '…1111',
    customerReference: 'guest-77',
    timeline: [],
    ...change,
  };
}
