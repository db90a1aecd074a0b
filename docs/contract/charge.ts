/** Charges of stored cards, in words. */
import {
  additionalCharge,
  capture,
  captureBody,
  charge,
  chargeFields,
  chargeStatus,
  customer,
  nextAction,
  refund,
} from '../../shared/api/schemas/charge.ts';
import { failureExample } from './common.ts';
import { component, requestComponent } from './component.ts';
import {
  captureId,
  captureTransactionId,
  cardId,
  chargeId,
  chargeTransactionId,
  merchantId,
  refundId,
  saleId,
} from './ids.ts';

export const payerExample = {
  email: 'maria@example.gr',
  phone: '+306900000000',
  fullname: 'Maria Papadopoulou',
  requestLang: 'el',
  countryCode: 'GR',
};

export const payerWords = {
  email: 'The e-mail address.',
  phone: 'Digits with the country prefix.',
  fullname: 'First and last name.',
  requestLang: 'The payer’s language, two letters of ISO 639-1.',
  countryCode: 'The payer’s country, two letters of ISO 3166.',
};

const captureExample = {
  captureId,
  amount: 4000,
  isvAmount: 0,
  status: 'refused' as const,
  transactionId: captureTransactionId,
  failure: failureExample('CAPTURE_REFUSED'),
};

const refundExample = { refundId, amount: 1000, status: 'done' as const };

const fieldsOfCharge = {
  chargeId: 'The id of the charge.',
  status: 'How far the charge is.',
  final: 'Nothing more happens by itself. A pre-authorization is not final while its hold stands.',
  amount: 'What is charged or held, in minor units.',
  authorizedAmount: 'What the issuer authorized, in minor units. 0 until then.',
  capturedAmount: 'What was captured of a pre-authorization, in minor units.',
  refundedAmount: 'The amount given back so far, by anybody, in minor units.',
  captureBefore: 'The hold of a pre-authorization is released after this. null if nothing is held.',
  captures: 'The captures of a pre-authorization.',
  refunds: 'The refunds that were asked for through this API.',
  transactionId: 'The platform’s id of the transaction.',
  nextAction: 'What you have to do. Present while the status is `requires_authentication`.',
  failure:
    'Why the charge ended as it did. A charge that was found made after it was reported as over says CHARGE_MADE_LATE.',
};

export const additionalChargeExample = {
  chargeId,
  status: 'authorized' as const,
  final: false,
  amount: 6000,
  authorizedAmount: 6000,
  capturedAmount: 0,
  refundedAmount: 0,
  captureBefore: '2026-11-28T10:00:11.000Z',
  captures: [],
  refunds: [],
  transactionId: chargeTransactionId,
};

export const additionalChargeRequestExample = {
  amount: 6000,
  preauth: true,
  capture: 'immediate' as const,
  captureAmount: 4000,
  captureIsvAmount: 0,
  moto: true,
  holderName: 'Maria Papadopoulou',
  installments: 0,
  allowsRecurring: false,
  isvAmount: 0,
  merchantTrns: 'minibar room 12',
  customerTrns: 'Minibar',
  customer: payerExample,
  saleToAcquirerData: { applicationInfo: { merchantApplication: { name: 'Hotel' } } },
};

export const chargeComponents = {
  AdditionalChargeRequest: requestComponent(chargeFields, {
    is: 'A charge of the stored card on top of the sale, never instead of it. It needs `tokenize`.',
    of: {
      amount: 'What is charged or held, in minor units.',
      preauth: 'true holds the amount, so that it can be captured later.',
      capture: 'With `preauth` only: when the hold is captured. `manual` when left out.',
      captureAmount: 'With `capture` "immediate" only: what is captured of `amount`, in minor units. At most `amount`.',
      captureIsvAmount:
        'The ISV’s share of the capture in minor units, with `capture` "immediate" only. At most `captureAmount`. When left out, a capture of all of `amount` keeps `isvAmount`; required when `captureAmount` is less and `isvAmount` is not 0.',
      moto: 'true charges without the payer (mail order, telephone order). false may need the payer’s authentication.',
      holderName: 'The name of the card holder. When left out, the name that the platform gave with the card is used.',
      installments: 'The number of installments. At most 1 with `preauth`.',
      allowsRecurring: 'Whether later recurring charges refer to this one. Not with `preauth`.',
      isvAmount: 'The ISV’s share in minor units. At most `amount`; 0 for merchants’ own accounts.',
      merchantTrns: 'The merchant’s own reference.',
      customerTrns: 'What the payer is shown.',
      customer: 'Who pays.',
      saleToAcquirerData:
        'Passed on to the acquirer. Only for accounts of the industries Hospitality, Car Rentals and Dropshipping.',
    },
    example: additionalChargeRequestExample,
  }),
  Customer: requestComponent(customer, {
    is: 'Who pays.',
    of: payerWords,
    example: payerExample,
  }),
  CaptureRequest: requestComponent(captureBody, {
    is: 'Takes a pre-authorized amount, or a part of it.',
    of: {
      amount: 'What is captured, in minor units. At most the authorized amount.',
      isvAmount:
        'The ISV’s share in minor units. At most `amount`; 0 for merchants’ own accounts. When left out, a capture of all that was authorized keeps the authorized share; required for a smaller capture when that share is not 0.',
    },
    example: { amount: 4000, isvAmount: 0 },
  }),
  ChargeStatus: component(chargeStatus, {
    is: 'How far a charge is.',
    of: {
      created: 'The charge waits for the sale’s card, or for its turn.',
      requires_authentication: 'The payer has to authenticate at the card’s issuer.',
      processing: 'The charge is being sent, or its outcome is being read.',
      declined: 'The issuer refused. Nothing was taken.',
      expired: 'The charge was not sent in time, or its hold was released. Nothing was taken.',
      cancelled: 'The charge was stopped before it was sent, or its hold was released. Nothing was taken.',
      failed: 'The charge was not made. Nothing was taken.',
      authorized: 'The amount is held and can be captured.',
      charged: 'The amount was taken.',
      captured: 'The hold, or a part of it, was taken.',
      refunded: 'All of it was given back, at least in part by a refund.',
      reversed: 'All of it was given back without a refund.',
      needs_review: 'A person must check the charge. Do not charge again until then.',
    },
  }),
  Capture: component(capture, {
    is: 'One capture of a pre-authorization.',
    of: {
      captureId: 'The id of the capture.',
      amount: 'What is captured, in minor units.',
      isvAmount: 'The ISV’s share of it, in minor units.',
      status:
        '`pending`: asked for, and perhaps made. `done`: made. `refused`: not made. `unknown`: a person must check it; do not capture again.',
      transactionId: 'The platform’s id of the capture.',
      failure: 'Why it was not made.',
    },
    example: captureExample,
  }),
  Refund: component(refund, {
    is: 'One refund that was asked for through this API.',
    of: {
      refundId: 'The id of the refund.',
      amount: 'What is given back, in minor units.',
      status: '`pending`: asked for. `done`: made. `refused`: not made. `unknown`: a person must check it.',
    },
    example: refundExample,
  }),
  NextAction: component(nextAction, {
    is: 'What you have to do before the charge goes on.',
    of: { type: '`authenticate`: the payer has to authenticate at the card’s issuer.' },
    example: { type: 'authenticate' },
  }),
  AdditionalCharge: component(additionalCharge, {
    is: 'The charge on top of a sale.',
    of: fieldsOfCharge,
    example: additionalChargeExample,
  }),
  Charge: component(charge, {
    is: 'A charge of a stored card.',
    of: {
      ...fieldsOfCharge,
      merchantId: 'The merchant that charges.',
      saleId: 'The sale that the charge belongs to.',
      cardId: 'The card that is charged. Absent until the card of the sale is stored.',
      currency: 'The currency of all amounts, three letters of ISO 4217.',
      merchantTrns: 'The merchant’s own reference.',
      createdAt: 'When the charge was asked for.',
      updatedAt: 'When anything that is shown here last changed.',
      timeline: 'Every call, decision and wait, oldest first. Left out in lists.',
    },
    example: {
      ...additionalChargeExample,
      merchantId,
      saleId,
      cardId,
      currency: 'EUR',
      merchantTrns: 'minibar room 12',
      createdAt: '2026-11-21T10:00:00.000Z',
      updatedAt: '2026-11-21T10:00:11.482Z',
      timeline: [{ at: '2026-11-21T10:00:11.482Z', event: 'charge.authorized', detail: { status: 200 } }],
    },
  }),
};
