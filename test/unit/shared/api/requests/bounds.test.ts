/** Both sides of every bound of a request: the last accepted value and the first refused one, with its pointer. */
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../../../shared/api/problem.ts';
import { validBody } from '../../../../../shared/api/requests/body.ts';
import { captureRules } from '../../../../../shared/api/requests/charge.ts';
import { rfOrderRules } from '../../../../../shared/api/requests/rf-order.ts';
import { validSaleBody } from '../../../../../shared/api/requests/sale.ts';
import { captureBody } from '../../../../../shared/api/schemas/charge.ts';
import { rfOrderBody } from '../../../../../shared/api/schemas/rf-order.ts';

const merchantId = '8d3a6c1e-52b4-4f0a-9a4e-6f1d2c3b4a59';
const sale = {
  merchantId,
  terminalId: '16001369',
  cashRegisterId: 'till-1',
  amount: 1500,
  currency: 'EUR',
  tokenize: true,
};
const rfOrder = { merchantId, amount: 4200, currency: 'EUR' };

type Row = readonly [pointer: string, taken: object, refused: object];
const x = (length: number) => 'x'.repeat(length);
const email = (length: number) => `${x(length - '@shop.example'.length)}@shop.example`;

/** Returns the pointers of the errors in a body; none when it is accepted. */
function problems(check: (body: object) => unknown, body: object): readonly string[] {
  try {
    check(body);
    return [];
  } catch (error) {
    return (error as Problem).errors.map((one) => ('pointer' in one ? one.pointer : ''));
  }
}

function holds(check: (body: object) => unknown, rows: readonly Row[]): void {
  it.each(rows)('%s: accepts %j and refuses %j', (pointer, taken, refused) => {
    expect(problems(check, taken)).toEqual([]);
    expect(problems(check, refused)).toEqual([pointer]);
  });
}

/** Sets one field of the sale. */
const inSale = (name: string, taken: unknown, refused: unknown): Row => [
  `/${name}`,
  { ...sale, [name]: taken },
  { ...sale, [name]: refused },
];

describe('the bounds of a sale', () => {
  holds(validSaleBody, [
    inSale('merchantId', merchantId.toUpperCase(), merchantId.slice(1)),
    inSale('terminalId', x(50), x(51)),
    inSale('terminalId', 'x', ''),
    inSale('cashRegisterId', x(100), x(101)),
    inSale('amount', 30, 29),
    inSale('amount', 99_999_999, 100_000_000),
    inSale('currency', 'EUR', 'EURO'),
    inSale('merchantTrns', x(200), x(201)),
    inSale('customerTrns', x(2048), x(2049)),
    inSale('customerTrns', 'Ωμέγα 🙂', 'a\u007fb'),
    inSale('tipAmount', 0, -1),
    inSale('isvAmount', 1499, 1500),
    inSale('maxInstallments', 36, 37),
    inSale('maxInstallments', 0, -1),
    inSale('sourceCode', x(50), x(51)),
    inSale('customerReference', x(200), x(201)),
    ['/consent/reference', { ...sale, consent: consent(x(200)) }, { ...sale, consent: consent(x(201)) }],
    [
      '/consent/at',
      { ...sale, consent: consent('form', '2026-11-21T11:00:00+02:00') },
      { ...sale, consent: consent('form', '2026-11-21T11:00:00') },
    ],
    [
      `/fiscal/aade${x(61)}`,
      { ...sale, fiscal: { [`aade${x(60)}`]: true } },
      { ...sale, fiscal: { [`aade${x(61)}`]: true } },
    ],
    ['/fiscal/aadeId', { ...sale, fiscal: { aadeId: x(4096) } }, { ...sale, fiscal: { aadeId: x(4097) } }],
    [
      '/additionalCharge',
      { ...sale, additionalCharge: { amount: 1 } },
      { ...sale, additionalCharge: { amount: 1 }, tokenize: false },
    ],
  ]);
});

function consent(reference: string, at = '2026-11-21T11:00:00Z') {
  return { at, reference };
}

describe('the bounds of an additional charge', () => {
  const charge = (change: object) => ({ ...sale, additionalCharge: { amount: 4000, ...change } });
  const held = (change: object) => charge({ preauth: true, ...change });
  const taken = (change: object) => held({ capture: 'immediate', ...change });
  const payer = (customer: object) => charge({ customer });
  const rows: readonly Row[] = [
    ['amount', charge({ amount: 1 }), charge({ amount: 0 })],
    ['amount', charge({ amount: 99_999_999 }), charge({ amount: 100_000_000 })],
    ['isvAmount', charge({ isvAmount: 4000 }), charge({ isvAmount: 4001 })],
    ['capture', held({ capture: 'manual' }), charge({ capture: 'manual' })],
    ['capture', taken({}), charge({ capture: 'immediate' })],
    ['captureAmount', taken({ captureAmount: 4000 }), taken({ captureAmount: 4001 })],
    ['captureAmount', taken({ captureAmount: 1 }), taken({ captureAmount: 0 })],
    ['captureAmount', taken({ captureAmount: 1 }), held({ captureAmount: 1 })],
    ['captureAmount', taken({ captureAmount: 1 }), held({ captureAmount: 1, capture: 'manual' })],
    [
      'captureIsvAmount',
      taken({ captureAmount: 3000, captureIsvAmount: 3000 }),
      taken({ captureAmount: 3000, captureIsvAmount: 3001 }),
    ],
    ['captureIsvAmount', taken({ captureIsvAmount: 4000 }), taken({ captureIsvAmount: 4001 })],
    ['captureIsvAmount', taken({ captureIsvAmount: 0 }), taken({ captureIsvAmount: -1 })],
    ['captureIsvAmount', taken({ captureIsvAmount: 1 }), held({ captureIsvAmount: 1 })],
    ['captureIsvAmount', taken({ captureIsvAmount: 1 }), held({ captureIsvAmount: 1, capture: 'manual' })],
    ['installments', held({ installments: 1 }), held({ installments: 2 })],
    ['installments', charge({ installments: 36 }), charge({ installments: 37 })],
    ['allowsRecurring', charge({ allowsRecurring: true }), held({ allowsRecurring: true })],
    ['holderName', charge({ holderName: x(200) }), charge({ holderName: x(201) })],
    ['customer/email', payer({ email: email(254) }), payer({ email: email(255) })],
    ['customer/phone', payer({ phone: '+3021' }), payer({ phone: '+302' })],
    ['customer/phone', payer({ phone: '3'.repeat(20) }), payer({ phone: '3'.repeat(21) })],
    ['customer/fullname', payer({ fullname: x(200) }), payer({ fullname: x(201) })],
    ['customer/requestLang', payer({ requestLang: 'el' }), payer({ requestLang: 'EL' })],
    ['customer/countryCode', payer({ countryCode: 'GR' }), payer({ countryCode: 'gr' })],
  ];
  holds(
    validSaleBody,
    rows.map(([name, ...bodies]): Row => [`/additionalCharge/${name}`, ...bodies]),
  );
});

describe('the bounds of an RF order', () => {
  const order = (change: object) => ({ ...rfOrder, ...change });
  holds(
    (body) => validBody(rfOrderBody, body, rfOrderRules),
    [
      ['/amount', order({ amount: 30 }), order({ amount: 29 })],
      ['/isvAmount', order({ isvAmount: 4199 }), order({ isvAmount: 4200 })],
      ['/expiresInSeconds', order({ expiresInSeconds: 60 }), order({ expiresInSeconds: 59 })],
      ['/expiresInSeconds', order({ expiresInSeconds: 432_000 }), order({ expiresInSeconds: 432_001 })],
      ['/expiresInSeconds', order({ expiresInSeconds: 65_534 }), order({ expiresInSeconds: 65_535 })],
      ['/expiresInSeconds', order({ expiresInSeconds: 65_536 }), order({ expiresInSeconds: 65_535 })],
      ['/expiresInSeconds', order({ expiresInSeconds: null }), order({ expiresInSeconds: 0 })],
      [
        '/customer/email',
        order({ notifyCustomer: true, customer: { email: 'a@shop.example' } }),
        order({ notifyCustomer: true, customer: {} }),
      ],
      ['/customer/email', order({ notifyCustomer: false }), order({ notifyCustomer: true })],
      ['/customer/email', order({ customer: { email: email(50) } }), order({ customer: { email: email(51) } })],
      ['/customer/fullname', order({ customer: { fullname: x(100) } }), order({ customer: { fullname: x(101) } })],
    ],
  );
});

describe('the bounds of a capture', () => {
  holds(
    (body) => validBody(captureBody, body, captureRules),
    [
      ['/amount', { amount: 1 }, { amount: 0 }],
      ['/isvAmount', { amount: 3000, isvAmount: 3000 }, { amount: 3000, isvAmount: 3001 }],
      ['/isvAmount', { amount: 3000, isvAmount: 0 }, { amount: 3000, isvAmount: -1 }],
    ],
  );
});

it('an invalid body gets an error for every broken rule, not only the first', () => {
  const broken = { ...sale, isvAmount: 1500, additionalCharge: { amount: 10, isvAmount: 11, capture: 'manual' } };

  expect(problems(validSaleBody, broken)).toEqual([
    '/isvAmount',
    '/additionalCharge/isvAmount',
    '/additionalCharge/capture',
  ]);
});

it('an optional field that was not sent is absent after parsing', () => {
  expect(Object.keys(validSaleBody(sale))).not.toContain('merchantTrns');
  expect(problems(validSaleBody, { ...sale, merchantTrns: undefined })).toEqual(['/merchantTrns']);
});

describe('the detail of a broken rule', () => {
  const details = (change: object, check: (body: object) => unknown = validSaleBody) => {
    try {
      check({ ...sale, ...change });
    } catch (error) {
      return (error as Problem).errors.map((one) => `${'pointer' in one ? one.pointer : ''} ${one.detail}`);
    }
    return [];
  };

  it.each<[string, object, string]>([
    ['a missing field', { amount: undefined }, '/amount is required'],
    ['a missing field of an object', { consent: { at: '2026-11-21T11:00:00Z' } }, '/consent/reference is required'],
    ['text instead of a number', { amount: '1500' }, '/amount must be an integer in minor units: 1500 for 15.00 EUR'],
    ['a fraction', { amount: 15.5 }, '/amount must be an integer in minor units: 1500 for 15.00 EUR'],
    ['text instead of a count', { maxInstallments: '3' }, '/maxInstallments must be an integer'],
    ['a number instead of text', { cashRegisterId: 1 }, '/cashRegisterId must be of type string'],
    ['a number that is too small', { amount: 29 }, '/amount must be at least 30 minor units'],
    ['a number that is too large', { maxInstallments: 37 }, '/maxInstallments must be at most 36 installments'],
    ['text that is too short', { cashRegisterId: '' }, '/cashRegisterId must have at least 1 character'],
    ['text that is too long', { merchantTrns: x(201) }, '/merchantTrns must have at most 200 characters'],
    ['a wrong format', { currency: 'euro' }, '/currency must be three letters of ISO 4217'],
    ['an invalid id', { merchantId: 'x' }, '/merchantId must be a UUID'],
    ['an unknown field', { amounts: 1 }, '/amounts is not a field of this request'],
    [
      'an unknown field of an object',
      { consent: { ...consent('form'), by: 'x' } },
      '/consent/by is not a field of this request',
    ],
    ['an unknown field with a slash in its name', { 'a/b~': 1 }, '/a~1b~0 is not a field of this request'],
  ])('says what is allowed instead of %s, and does not repeat what was sent', (_, change, detail) => {
    expect(details(change)).toEqual([detail]);
  });

  it('says what is allowed when the body itself is not an object', () => {
    expect(details({}, () => validBody(captureBody, 'text'))).toEqual([' must be of type object']);
  });

  it('names every invalid field', () => {
    expect(details({ amount: 29, currency: 'euro', tokenize: undefined })).toHaveLength(3);
  });
});
