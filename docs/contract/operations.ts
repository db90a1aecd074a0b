/** What each route is for, what it takes and what it answers. A route without an entry here does not compile. */
import type { ProblemCode } from '../../shared/api/problems.ts';
import type { RouteKey } from '../../shared/api/routes.ts';
import type { ComponentName } from './components.ts';
import type { HeaderName } from './problems.ts';

export interface Operation {
  readonly id: string;
  readonly tag: 'sales' | 'cards' | 'charges' | 'rf-orders';
  readonly summary: string;
  readonly description?: string;
  /** Takes an Idempotency-Key. */
  readonly keyed?: true;
  readonly body?: ComponentName;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Beside those that every route, or every POST, can answer. */
  readonly problems?: readonly ProblemCode[];
}

interface Answer {
  readonly is: string;
  readonly body?: ComponentName | `${ComponentName}[]`;
  readonly headers?: readonly HeaderName[];
}

const made = ['Location', 'ETag', 'Idempotency-Replayed'] as const;
const notModified: Answer = {
  is: 'The resource did not change since the ETag that was sent.',
  headers: ['ETag', 'Preference-Applied'],
};

export const tags = {
  sales: 'Card payments at a terminal.',
  cards: 'Stored cards.',
  charges: 'Charges of stored cards.',
  'rf-orders': 'Orders that are paid by bank transfer.',
  events: 'What is posted to the callback address of an account.',
} as const;

export const operations: Readonly<Record<RouteKey, Operation>> = {
  'POST /sales': {
    id: 'createSale',
    tag: 'sales',
    summary: 'Start a sale at a terminal',
    description: 'Optionally stores the card, and charges it on top of the sale.',
    keyed: true,
    body: 'SaleRequest',
    answers: { 202: { is: 'The sale was accepted and is on its way to the terminal.', body: 'Sale', headers: made } },
    problems: [
      'TERMINAL_PREAUTH_NOT_OFFERED',
      'ISV_AMOUNT_NOT_OFFERED',
      'TERMINAL_NOT_FOUND',
      'TERMINAL_IN_USE',
      'CURRENCY_NOT_SUPPORTED',
      'INDUSTRY_NOT_ELIGIBLE',
    ],
  },
  'GET /sales': {
    id: 'listSales',
    tag: 'sales',
    summary: 'List the sales of a merchant',
    description: 'Newest first, without their timelines. Eventually consistent.',
    answers: { 200: { is: 'One page.', body: 'Sale[]' } },
  },
  'GET /sales/{saleId}': {
    id: 'readSale',
    tag: 'sales',
    summary: 'Read a sale',
    description: 'With its timeline.',
    answers: {
      200: { is: 'The sale as it is now.', body: 'Sale', headers: ['ETag', 'Preference-Applied'] },
      304: notModified,
    },
  },
  'POST /sales/{saleId}/abort': {
    id: 'abortSale',
    tag: 'sales',
    summary: 'Ask the terminal to stop',
    description:
      'The terminal’s answer decides. The additional charge is cancelled in any case. It takes no key and no body. Asking again changes nothing.',
    answers: {
      202: {
        is: 'The sale as it is now. A sale that has ended unpaid stays as it is.',
        body: 'Sale',
        headers: ['ETag'],
      },
    },
    problems: ['SALE_NOT_ABORTABLE'],
  },
  'POST /cards': {
    id: 'storeCard',
    tag: 'cards',
    summary: 'Store the card of a terminal transaction that was made elsewhere',
    description:
      'The `cardId` of the answer is the id of the request. Once the card is stored, it leads to the card, which has one id however often it is stored.',
    keyed: true,
    body: 'CardRequest',
    answers: { 202: { is: 'The request was accepted.', body: 'Card', headers: made } },
  },
  'GET /cards': {
    id: 'listCards',
    tag: 'cards',
    summary: 'List the stored cards of a merchant',
    description:
      'Newest first. Eventually consistent. With `status`, a page may have fewer items than the limit; it is the last one only without `next`.',
    answers: { 200: { is: 'One page.', body: 'Card[]' } },
  },
  'GET /cards/{cardId}': {
    id: 'readCard',
    tag: 'cards',
    summary: 'Read a stored card',
    description: 'Or how far the request to store it is.',
    answers: {
      200: { is: 'The card as it is now, under its own id.', body: 'Card', headers: ['ETag', 'Preference-Applied'] },
      304: notModified,
    },
  },
  'DELETE /cards/{cardId}': {
    id: 'forgetCard',
    tag: 'cards',
    summary: 'Delete our copy of a card and its token',
    description: 'The platform offers no revocation.',
    answers: { 204: { is: 'The card is deleted.' } },
    problems: ['CARD_PENDING'],
  },
  'GET /charges': {
    id: 'listCharges',
    tag: 'charges',
    summary: 'List the charges of a merchant',
    description: 'Newest first, without their timelines. Eventually consistent.',
    answers: { 200: { is: 'One page.', body: 'Charge[]' } },
  },
  'GET /charges/{chargeId}': {
    id: 'readCharge',
    tag: 'charges',
    summary: 'Read a charge',
    description: 'With its timeline.',
    answers: {
      200: { is: 'The charge as it is now.', body: 'Charge', headers: ['ETag', 'Preference-Applied'] },
      304: notModified,
    },
  },
  'POST /charges/{chargeId}/capture': {
    id: 'captureCharge',
    tag: 'charges',
    summary: 'Take a pre-authorized amount, or a part of it',
    description:
      'The rest of the hold is released. There is one capture per pre-authorization; a refused one does not count. The capture is `pending` until the platform has answered, or until its records tell what became of it: seconds, or half an hour where an answer was lost.',
    keyed: true,
    body: 'CaptureRequest',
    answers: {
      202: {
        is: 'The capture is reserved. The charge as it was then; `Location` is where it is now.',
        body: 'Charge',
        headers: ['Location', 'Idempotency-Replayed'],
      },
    },
    problems: ['ISV_AMOUNT_NOT_OFFERED', 'CAPTURE_EXISTS', 'CHARGE_NOT_CAPTURABLE', 'CAPTURE_TOO_LARGE'],
  },
  'POST /rf-orders': {
    id: 'createRfOrder',
    tag: 'rf-orders',
    summary: 'Create an order that is paid by bank transfer',
    description: 'With its RF Payment Code. For merchants in Greece, in EUR.',
    keyed: true,
    body: 'RfOrderRequest',
    answers: {
      201: { is: 'The order with its code.', body: 'RfOrder', headers: made },
      202: {
        is: 'The platform takes longer. The order is `creating`, and is finished without another request.',
        body: 'RfOrder',
        headers: made,
      },
    },
    problems: [
      'ISV_AMOUNT_NOT_OFFERED',
      'RF_ORDER_IN_PROGRESS',
      'RF_NOT_AVAILABLE',
      'ACCOUNT_NOT_READY',
      'RF_NOT_ENABLED',
      'RF_ORDER_REFUSED',
      'RF_CODE_INVALID',
      'RF_NOT_CREATED',
    ],
  },
  'GET /rf-orders': {
    id: 'listRfOrders',
    tag: 'rf-orders',
    summary: 'List the RF orders of a merchant',
    description: 'Newest first, without their timelines. Eventually consistent.',
    answers: { 200: { is: 'One page.', body: 'RfOrder[]' } },
  },
  'GET /rf-orders/{rfOrderId}': {
    id: 'readRfOrder',
    tag: 'rf-orders',
    summary: 'Read an RF order',
    description: 'With what was paid and its timeline.',
    answers: {
      200: { is: 'The order as it is now.', body: 'RfOrder', headers: ['ETag', 'Preference-Applied'] },
      304: notModified,
    },
  },
  'DELETE /rf-orders/{rfOrderId}': {
    id: 'cancelRfOrder',
    tag: 'rf-orders',
    summary: 'Cancel an RF order',
    description: 'No bank takes money for it any more. Money that comes all the same is recorded.',
    answers: {
      200: { is: 'Nobody can pay the order any more.', body: 'RfOrder', headers: ['ETag'] },
      202: {
        is: 'The request is recorded. The platform has not cancelled the order yet, whatever it answered; it is asked again within minutes.',
        body: 'RfOrder',
        headers: ['ETag'],
      },
    },
    problems: ['RF_ORDER_PAID'],
  },
};
