/** Card payments at a terminal, in words. */
import { receipt, sale, saleBody, saleCard, saleStatus, tokenization, totals } from '../../shared/api/schemas/sale.ts';
import { additionalChargeExample, additionalChargeRequestExample } from './charge.ts';
import { component, requestComponent } from './component.ts';
import { cardId, merchantId, saleId, transactionId } from './ids.ts';

const totalsExample = { terminal: 1500, charged: 0, authorized: 6000, refunded: 0, net: 1500 };

const receiptExample = {
  authorizationId: '512384',
  retrievalReferenceNumber: '632510512384',
  applicationLabel: 'Visa Debit',
  aid: 'A0000000031010',
  verificationMethod: 'PIN',
};

const cardExample = {
  cardId,
  status: 'active' as const,
  expirationMonth: 4,
  expirationYear: 2029,
  maskedNumber: '4111 11** **** 1111',
  customerReference: 'customer 4711',
};

export const saleComponents = {
  SaleRequest: requestComponent(saleBody, {
    is: 'Asks for a payment at a terminal.',
    of: {
      merchantId: 'The merchant that is paid.',
      terminalId: 'The terminal, one of the account’s.',
      cashRegisterId: 'The till. An abort names it to the terminal.',
      amount: 'What the terminal takes, in minor units.',
      currency: 'Three letters of ISO 4217. An account has one currency.',
      merchantTrns: 'The merchant’s own reference. Lists can be filtered by it.',
      customerTrns: 'What the payer is shown.',
      tipAmount: 'The tip in minor units, as a part of `amount`. At most `amount`.',
      isvAmount:
        'The ISV’s share in minor units. Less than `amount`; other than 0 only for accounts with the ISV’s terminal API.',
      maxInstallments: 'The highest number of installments that the terminal offers. Only for merchants in Greece.',
      sourceCode: 'The platform’s code of the payment source.',
      fiscal: 'The platform’s fields for Greek fiscal marking (`aade…`), passed through.',
      tokenize: 'true stores the card. false does not, and the sale ends at the terminal.',
      customerReference: 'Your own reference of the customer. It is kept with the card.',
      consent: 'When and how the payer agreed that the card is stored.',
      additionalCharge: 'A charge of the stored card on top of the sale.',
    },
    example: {
      merchantId,
      terminalId: '16001369',
      cashRegisterId: 'till-1',
      amount: 1500,
      currency: 'EUR',
      merchantTrns: 'room 12',
      customerTrns: 'Room 12, two nights',
      tipAmount: 0,
      isvAmount: 0,
      maxInstallments: 0,
      sourceCode: '1234',
      fiscal: { aadeProviderId: '800' },
      tokenize: true,
      customerReference: 'customer 4711',
      consent: { at: '2026-11-21T09:59:00Z', reference: 'form 8841' },
      additionalCharge: additionalChargeRequestExample,
    },
  }),
  SaleStatus: component(saleStatus, {
    is: 'How far a sale is at the terminal.',
    of: {
      created: 'The sale is on its way to the terminal.',
      awaiting_card: 'The terminal waits for the payer.',
      unconfirmed:
        'The terminal does not answer, and the payment may have been taken. Do not take the money again yet.',
      declined: 'The issuer refused. Nothing was taken.',
      cancelled: 'The payment was stopped at the terminal or from the till. Nothing was taken.',
      expired: 'The payment was not made in time. Nothing was taken.',
      failed: 'The terminal or the platform refused. Nothing was taken.',
      paid: 'The payment was taken.',
      tokenized: 'The payment was taken and the card is stored.',
      refunded: 'All of it was given back, at least in part by a refund.',
      reversed: 'All of it was given back without a refund.',
      needs_review: 'A person must check the sale. Do not take the money again until then.',
    },
  }),
  Totals: component(totals, {
    is: 'The total that the payer paid, and the amount that is held.',
    of: {
      terminal: 'What the terminal took, in minor units.',
      charged: 'What the additional charge took, in minor units.',
      authorized: 'What is held, in minor units.',
      refunded: 'What was given back, in minor units.',
      net: '`terminal` + `charged` - `refunded`, in minor units.',
    },
    example: totalsExample,
  }),
  Receipt: component(receipt, {
    is: 'The data for the receipt of the till.',
    of: {
      authorizationId: 'The issuer’s authorization.',
      retrievalReferenceNumber: 'The acquirer’s reference.',
      applicationLabel: 'The name of the card’s application.',
      aid: 'The id of the card’s application.',
      verificationMethod: 'How the payer was verified.',
    },
    example: receiptExample,
  }),
  Tokenization: component(tokenization, {
    is: 'Whether the card is stored.',
    of: {
      status:
        '`none`: not asked for, or the sale ended unpaid. `pending`: not yet. `stored`: see `card`. `refused`: see `code`.',
      code: 'Why the card was refused.',
    },
    example: { status: 'refused', code: 'CARD_NOT_TOKENIZABLE' },
  }),
  SaleCard: component(saleCard, {
    is: 'The stored card of a sale.',
    of: {
      cardId: 'The id of the card.',
      status: 'How far the storing of the card is.',
      expirationMonth: 'The month of its expiry, 1 to 12.',
      expirationYear: 'The year of its expiry, with four digits.',
      maskedNumber: 'The card number with most digits hidden.',
      customerReference: 'Your own reference of the customer.',
    },
    example: cardExample,
  }),
  Sale: component(sale, {
    is: 'A payment at a terminal, with its card and its additional charge.',
    of: {
      saleId: 'The id of the sale.',
      status: 'How far the sale is at the terminal.',
      final:
        'Nothing more happens by itself, at the terminal, with the card or with the additional charge. Late proof may still change it.',
      merchantId: 'The merchant that is paid.',
      terminalId: 'The terminal.',
      cashRegisterId: 'The till.',
      amount: 'What the terminal takes, in minor units.',
      currency: 'The currency of all amounts, three letters of ISO 4217.',
      merchantTrns: 'The merchant’s own reference.',
      transactionId: 'The platform’s id of the terminal’s transaction.',
      abortRequestedAt: 'When an abort was first asked for.',
      terminalHeldUntil:
        'For an `unconfirmed` sale: the latest time at which the terminal accepts another sale. Absent if no sale holds it.',
      refundedAmount:
        'The amount given back so far, by anybody, in minor units. The sale is `refunded` or `reversed` when all of it was given back.',
      refunds: 'The refunds that were asked for through this API.',
      totals: 'The total that the payer paid, and the amount that is held.',
      receipt: 'The data for the receipt of the till.',
      tokenization: 'Whether the card is stored.',
      card: 'The stored card.',
      additionalCharge: 'The charge on top of the sale.',
      failure:
        'Why the sale ended as it did. A sale that was found paid after it was reported as over says SALE_PAID_LATE.',
      laterSales:
        'Only with `failure.code` SALE_PAID_LATE: paid sales of the same terminal and amount that came after this one, which had been reported as over.',
      createdAt: 'When the sale was asked for.',
      updatedAt: 'When anything that is shown here last changed.',
      timeline: 'Every call, decision and wait of the sale and its charge, oldest first. Left out in lists.',
    },
    example: {
      saleId,
      status: 'tokenized',
      final: false,
      merchantId,
      terminalId: '16001369',
      cashRegisterId: 'till-1',
      amount: 1500,
      currency: 'EUR',
      merchantTrns: 'room 12',
      transactionId,
      refundedAmount: 0,
      refunds: [],
      totals: totalsExample,
      receipt: receiptExample,
      tokenization: { status: 'stored' },
      card: cardExample,
      additionalCharge: additionalChargeExample,
      createdAt: '2026-11-21T10:00:00.000Z',
      updatedAt: '2026-11-21T10:00:11.482Z',
      timeline: [{ at: '2026-11-21T10:00:00.000Z', event: 'sale.created' }],
    },
  }),
};
