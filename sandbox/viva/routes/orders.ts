/** Orders on the api host: create, for merchants and ISVs, and cancel, which one source places here. */
import * as z from 'zod';
import type { Account } from '../books/accounts.ts';
import { cancelOrder, ownOrder } from '../books/order-acts.ts';
import { newOrderCode } from '../books/order-code.ts';
import { orderCodeOf } from '../books/transaction-views.ts';
import { bearerCaller, type Caller, merchantOf } from '../http/access.ts';
import { answer, invalidField } from '../http/answers.ts';
import { bodyOf, optionalMinorUnits, optionalText, queryOf } from '../http/input.ts';
import type { Simulator } from '../simulator.ts';
import { newRoutes, type Routes } from './routes.ts';

const MIN_AMOUNT = 30;
const DEFAULT_TIMEOUT_SECONDS = 1800;
const MAX_TIMEOUT_SECONDS = 432_000;
const NEVER_EXPIRES = 65_535;

const flag = z.boolean().nullish();
const request = z.looseObject({
  amount: z.int().min(MIN_AMOUNT),
  isvAmount: optionalMinorUnits,
  tipAmount: optionalMinorUnits,
  customerTrns: z.string().max(2048).nullish(),
  merchantTrns: z.string().max(2048).nullish(),
  customer: z
    .looseObject({
      email: z.string().max(50).nullish(),
      fullName: z.string().max(100).nullish(),
      phone: z.string().max(30).nullish(),
      countryCode: z.string().length(2).nullish(),
      requestLang: optionalText,
    })
    .nullish(),
  paymentTimeout: z.int().min(1).max(MAX_TIMEOUT_SECONDS).nullish(),
  currencyCode: z.union([z.string(), z.int()]).nullish(),
  preauth: flag,
  allowRecurring: flag,
  maxInstallments: z.int().min(0).max(36).nullish(),
  paymentNotification: flag,
  disableExactAmount: flag,
  disableCash: flag,
  disableWallet: flag,
  sourceCode: optionalText,
  tags: z.array(z.string()).nullish(),
  cardTokens: z.array(z.string()).nullish(),
  dynamicDescriptor: z.string().max(13).nullish(),
});
type OrderRequest = z.output<typeof request>;

export function orderRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  const create = async (caller: Caller, raw: Request) => {
    const account = merchantOf(sim, caller, queryOf(sim, raw, 'merchantId'));
    const body = await bodyOf(raw, request, (where) => invalidField(sim, where));
    return createOrder(sim, account, caller.set === 'isv', body);
  };
  app.post('/checkout/v2/orders', (c) => create(bearerCaller(sim, c.req.raw, 'smartCheckout'), c.req.raw));
  app.post('/checkout/v2/isv/orders', (c) => create(bearerCaller(sim, c.req.raw, 'isv'), c.req.raw));
  app.delete('/checkout/v2/orders/:code', (c) => {
    if (sim.switches.get('cancelOrder') !== 'api') {
      return answer(undefined, { status: 405 });
    }
    const caller = bearerCaller(sim, c.req.raw, 'smartCheckout', 'isv');
    const account = merchantOf(sim, caller, queryOf(sim, c.req.raw, 'merchantId'));
    return answer(cancelOrder(sim, ownOrder(sim, account, c.req.param('code'))));
  });
  return app;
}

function createOrder(sim: Simulator, account: Account, byIsv: boolean, body: OrderRequest): Response {
  const wrong = contradiction(account, byIsv, body);
  if (wrong !== undefined) {
    throw invalidField(sim, wrong);
  }
  const { email, phone, fullName, requestLang } = body.customer ?? {};
  const timeout = body.paymentTimeout ?? DEFAULT_TIMEOUT_SECONDS;
  const orderCode = newOrderCode(sim);
  sim.books.orders.add({
    orderCode,
    merchantId: account.merchantId,
    amount: body.amount,
    isvAmount: body.isvAmount ?? 0,
    tipAmount: body.tipAmount ?? 0,
    disableExactAmount: body.disableExactAmount ?? false,
    expiresMs: timeout === NEVER_EXPIRES ? null : sim.clock.now() + timeout * 1000,
    merchantTrns: body.merchantTrns ?? '',
    customerTrns: body.customerTrns ?? '',
    customer: { ...(email && { email }), ...(phone && { phone }), ...(fullName && { fullname: fullName }) },
    requestLang: requestLang ?? 'el-GR',
    // An unknown source silently becomes the default one.
    sourceCode: account.sourceCode,
    maxInstallments: body.maxInstallments ?? 0,
    tags: body.tags ?? [],
    disablePaidState: false,
    isCanceled: false,
    paid: false,
    rfCode: null,
  });
  return answer({ orderCode: orderCodeOf(sim, orderCode) });
}

/** The first field that contradicts the account or another field. */
function contradiction({ currencyCode }: Account, byIsv: boolean, body: OrderRequest): string | undefined {
  const share = body.isvAmount ?? 0;
  const rules: [wrong: boolean, field: string][] = [
    [body.currencyCode != null && String(body.currencyCode) !== currencyCode, 'currencyCode'],
    [byIsv ? share >= body.amount : share > 0, 'isvAmount'],
    [(body.tipAmount ?? 0) >= body.amount, 'tipAmount'],
    [
      body.preauth === true && (body.allowRecurring === true || (body.maxInstallments ?? 0) > 1 || share > 0),
      'preauth',
    ],
    [body.disableExactAmount === true && (body.cardTokens ?? []).length > 0, 'disableExactAmount'],
  ];
  return rules.find(([wrong]) => wrong)?.[1];
}
