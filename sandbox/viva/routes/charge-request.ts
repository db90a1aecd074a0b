/**
 * The requests of native checkout (docs/viva.md, "Native checkout"). The currency is text in one and a number in the
 * other.
 */
import * as z from 'zod';
import { minorUnits, optionalMinorUnits, optionalText } from '../http/input.ts';

export const chargeTokenRequest = z.looseObject({
  amount: minorUnits,
  token: z.string().min(1),
  holderName: z.string().min(1),
  expirationYear: z.int().min(1).max(9999),
  expirationMonth: z.int().min(1).max(12),
  currencyCode: z.string().regex(/^\d{3}$/),
  moto: z.boolean().nullish(),
  sessionRedirectUrl: optionalText,
});

export const transactionRequest = z.looseObject({
  amount: minorUnits,
  isvAmount: optionalMinorUnits,
  preauth: z.boolean().nullish(),
  chargeToken: z.string().min(1),
  installments: z.int().min(0).max(36).nullish(),
  allowsRecurring: z.boolean().nullish(),
  merchantTrns: z.string().max(2048).nullish(),
  customerTrns: z.string().max(2048).nullish(),
  currencyCode: z.int().nullish(),
  tipAmount: optionalMinorUnits,
  sourceCode: optionalText,
  saleToAcquirerData: optionalText,
  customer: z
    .looseObject({
      email: optionalText,
      phone: optionalText,
      fullname: optionalText,
      requestLang: z.string().length(2).nullish(),
      countryCode: z.string().length(2).nullish(),
    })
    .nullish(),
});
export type TransactionRequest = z.output<typeof transactionRequest>;

export const captureRequest = z.looseObject({ amount: minorUnits, merchantTrns: optionalText });
