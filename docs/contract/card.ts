/** Stored cards, in words. */
import { card, cardBody, cardStatus } from '../../shared/api/schemas/card.ts';
import { component, requestComponent } from './component.ts';
import { cardId, merchantId, transactionId } from './ids.ts';

const consent = { at: '2026-11-21T09:59:00.000Z', reference: 'form 8841' };

export const cardComponents = {
  CardRequest: requestComponent(cardBody, {
    is: 'Asks to store the card of a terminal transaction that was made elsewhere.',
    of: {
      merchantId: 'The merchant whose terminal took the payment.',
      transactionId: 'The platform’s id of the transaction. It must be a finished card payment.',
      customerReference: 'Your own reference of the customer. It is kept with the card.',
      consent: 'When and how the payer agreed that the card is stored.',
    },
    example: { merchantId, transactionId, customerReference: 'customer 4711', consent },
  }),
  CardStatus: component(cardStatus, {
    is: 'How far the storing of a card is.',
    of: {
      pending: 'The card is being stored.',
      active: 'The card is stored and can be charged.',
      expired: 'The month of its expiry has ended.',
      refused: 'The card was not stored. `failure` says why.',
      deleted: 'The card and its token are deleted.',
    },
  }),
  Card: component(card, {
    is: 'A stored card, or the request to store one.',
    of: {
      cardId: 'The id of the card. While the card is `pending` or `refused` it is the id of the request.',
      status: 'How far the storing of the card is.',
      final: 'Nothing more happens by itself, except that an active card expires.',
      merchantId: 'The merchant that may charge the card.',
      transactionId: 'The terminal transaction that the card comes from.',
      expirationMonth: 'The month of its expiry, 1 to 12.',
      expirationYear: 'The year of its expiry, with four digits.',
      maskedNumber: 'The card number with most digits hidden.',
      customerReference: 'Your own reference of the customer.',
      consent: 'When and how the payer agreed that the card is stored.',
      failure: 'Why the card was refused.',
      createdAt: 'When the request was received.',
      updatedAt: 'When anything that is shown here last changed.',
    },
    example: {
      cardId,
      status: 'active',
      final: true,
      merchantId,
      transactionId,
      expirationMonth: 4,
      expirationYear: 2029,
      maskedNumber: '4111 11** **** 1111',
      customerReference: 'customer 4711',
      consent,
      createdAt: '2026-11-21T10:00:00.000Z',
      updatedAt: '2026-11-21T10:00:02.318Z',
    },
  }),
};
