import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Json, Till } from './till.ts';

const till = new Till();
/** One reading of an amount or a return counts when the next run reads it again. */
const SECOND_READING = 601;

beforeEach(() => till.reset());

function post(change: object = {}, { of = till, key = randomUUID() } = {}): Promise<Answer> {
  const body = {
    merchantId: of.merchant.merchantId,
    amount: 4200,
    currency: 'EUR',
    merchantTrns: 'room 12',
    ...change,
  };
  return of.api('POST', '/rf-orders', body, { key });
}

async function created(change: object = {}, of = till): Promise<Json> {
  const { status, body, text } = await post(change, { of });
  expect(status, text).toBe(201);
  return body;
}

function reached(rfOrderId: string, status: string): Promise<Json> {
  return till.until(`/rf-orders/${rfOrderId}`, (order) => order.status === status, 20);
}

async function noWebhooks(): Promise<void> {
  await till.control('POST', '/_sim/faults', { name: 'lost_webhook', times: null });
}

describe('an RF order', () => {
  it.each(['merchant', 'isv'] as const)('of an account in mode %s is created, shown, and paid', async (mode) => {
    const payee = new Till(mode);
    const order = await created(
      { isvAmount: mode === 'isv' ? 100 : 0, customer: { email: 'guest@example.com', requestLang: 'el' } },
      payee,
    );
    expect(order).toMatchObject({ status: 'pending', final: false, amountPaid: 0 });
    expect(order.orderCode).toMatch(/^\d{16}$/);
    expect(order.rfCodeGrouped.replaceAll(' ', '')).toBe(order.rfCode);

    await till.payRf(order);

    const paid = await reached(order.rfOrderId, 'paid');
    expect(paid).toMatchObject({
      final: true,
      amountPaid: 4200,
      late: false,
      overpaid: false,
      payments: [{ amount: 4200 }],
    });
    const [credit] = await payee.ledger(order.rfOrderId);
    expect(credit).toMatchObject({
      kind: 'rf_credit',
      amount: 4200,
      isvAmount: mode === 'isv' ? 100 : 0,
      orderCode: order.orderCode,
    });
    expect(paid.payments[0].transactionId).toBe(credit.transactionId);
  });

  it('requests its code from the platform without credentials', async () => {
    await created();

    const [request] = await till.requests('/web2/checkout/v2/paymentsessions');
    expect(request).toMatchObject({ host: 'base', credentialSet: null, status: 200 });
  });

  it('is listed by reference and status', async () => {
    const { rfOrderId } = await created({ merchantTrns: 'listed' });

    const { merchantId } = till.merchant;
    const { body } = await till.api('GET', `/rf-orders?merchantId=${merchantId}&merchantTrns=listed&status=pending`);
    expect(body.items.map((item: Json) => item.rfOrderId)).toEqual([rfOrderId]);
  });

  it('has one code for a repeated request, byte for byte', async () => {
    const key = randomUUID();
    const first = await post({}, { key });
    const again = await post({}, { key });

    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await till.requests('/checkout/v2/orders')).toHaveLength(1);
  });

  it('cannot be paid after it was cancelled', async () => {
    const order = await created();

    const { status, body } = await till.api('DELETE', `/rf-orders/${order.rfOrderId}`);

    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'cancelled', final: true });
    await expect(till.payRf(order)).rejects.toThrow('ORDER_CANCELLED');
  });

  it.each([
    ['forbidden', 1],
    ['not_visible', 1],
    ['unauthorized_once', 9],
    ['server_error_before', 1],
    ['malformed_200', 1],
  ])('is cancelled later when the platform answers %s to its cancellation', async (name, times) => {
    const { rfOrderId, orderCode } = await created();
    const match = { path: `/api/orders/${orderCode}` };
    const { faultId } = await till.control('POST', '/_sim/faults', { name, match, times: 2 * times });

    const { status, body } = await till.api('DELETE', `/rf-orders/${rfOrderId}`);
    await till.control('DELETE', `/_sim/faults/${faultId}`);

    expect([200, 202]).toContain(status);
    expect(body.cancelRequestedAt).toEqual(expect.any(String));
    await till.pass(600);
    expect(await reached(rfOrderId, 'cancelled')).toMatchObject({ final: true });
  });

  it('is cancelled when the platform cancelled it before and no longer finds it', async () => {
    await till.control('PATCH', '/_sim/switches', { cancelAgain: 'not_found' });
    const { rfOrderId, orderCode } = await created();
    const match = { method: 'DELETE', path: `/api/orders/${orderCode}` };
    await till.control('POST', '/_sim/faults', { name: 'answer_lost', match });

    const answers = [];
    for (let n = 0; n < 2; n++) {
      answers.push((await till.api('DELETE', `/rf-orders/${rfOrderId}`)).status);
    }

    expect(answers).toEqual([202, 200]);
    expect((await till.api('GET', `/rf-orders/${rfOrderId}`)).body.status).toBe('cancelled');
  });

  it('of an account without RF fails with the reason', async () => {
    const { merchantId } = till.merchant;
    await till.control('PATCH', `/_sim/accounts/${merchantId}`, { rf: false });

    const refused = await post();

    expect(refused).toMatchObject({ status: 422, body: { code: 'RF_NOT_ENABLED', retryable: false } });
    const { body } = await till.api('GET', `/rf-orders/${refused.body.rfOrderId}`);
    expect(body).toMatchObject({ status: 'failed', final: true, failure: { code: 'RF_NOT_ENABLED' } });
  });

  it('is shown without a code when the code’s digits are wrong', async () => {
    await till.control('POST', '/_sim/faults', { name: 'bad_rf_code' });

    const refused = await post();

    expect(refused).toMatchObject({ status: 502, body: { code: 'RF_CODE_INVALID' } });
    expect(refused.text).not.toMatch(/RF\d/);
    const { body } = await till.api('GET', `/rf-orders/${refused.body.rfOrderId}`);
    expect(body.status).toBe('failed');
    expect(body).not.toHaveProperty('rfCode');
  });

  it('accepts codes of 23 digits', async () => {
    await till.control('PATCH', '/_sim/switches', { rfDigits: 23 });

    const order = await created();
    await till.payRf(order);

    expect(order.rfCode).toMatch(/^RF\d{23}$/);
    await reached(order.rfOrderId, 'paid');
  });
});

describe('a payment of an RF order', () => {
  it('that arrives twice makes the order paid once, and overpaid', async () => {
    const order = await created();
    await till.payRf(order);
    await reached(order.rfOrderId, 'paid');
    await till.payRf(order);
    await till.pass(SECOND_READING);

    expect(await till.until(`/rf-orders/${order.rfOrderId}`, (one) => one.amountPaid === 8400)).toMatchObject({
      status: 'paid',
      overpaid: true,
    });
  });

  it('in parts makes an open order paid when it is enough', async () => {
    const order = await created({ disableExactAmount: true });
    await till.payRf(order, 1000);
    await till.pass(SECOND_READING);
    await reached(order.rfOrderId, 'partially_paid');
    await till.payRf(order, 3200);
    await till.pass(SECOND_READING);

    expect(await reached(order.rfOrderId, 'paid')).toMatchObject({ amountPaid: 4200, overpaid: false });
  });

  it('shows the platform’s commission once its record contains it', async () => {
    const order = await created();
    await till.payRf(order);
    await reached(order.rfOrderId, 'paid');
    await till.pass(SECOND_READING);

    const { payments } = await till.until(`/rf-orders/${order.rfOrderId}`, ({ commission }) => commission === 50);
    expect(payments).toMatchObject([{ amount: 4200, commission: 50 }]);
  });

  it('that is returned makes the order reversed', async () => {
    const order = await created();
    const { transferId } = await till.payRf(order);
    await reached(order.rfOrderId, 'paid');
    await till.control('POST', `/_sim/bank/transfers/${transferId}/return`);
    await till.pass(SECOND_READING);

    expect(await reached(order.rfOrderId, 'reversed')).toMatchObject({ amountPaid: 0, payments: [{ reversed: true }] });
  });
});

describe('RF orders without webhooks', () => {
  it('are paid, expire, and are paid late', async () => {
    await noWebhooks();
    const [paid, unpaid, late] = [await created(), await created(), await created()];
    await till.payRf(paid);

    await till.pass(6 * 86_400);
    expect(await till.until(`/rf-orders/${paid.rfOrderId}`, ({ final }) => final)).toMatchObject({
      status: 'paid',
      late: false,
    });
    expect(await reached(unpaid.rfOrderId, 'expired')).toMatchObject({ final: true });
    await till.payRf(late);
    await till.pass(3 * 86_400);

    expect(await reached(late.rfOrderId, 'paid')).toMatchObject({ late: true });
    const reads = (await till.requests('/api/')).filter((one) => JSON.stringify(one).includes(unpaid.orderCode));
    expect(reads.length).toBeLessThanOrEqual(60);
  });
});

describe('a platform that fails while an RF order is created', () => {
  it.each([
    ['answer_lost', '/checkout/v2/orders'],
    ['server_error_after', '/checkout/v2/orders'],
    ['answer_lost', '/web2/checkout/v2/paymentsessions'],
    ['malformed_200', '/web2/checkout/v2/paymentsessions'],
  ])('%s at %s costs the storefront nothing once; twice leads to 202 and one code soon', async (name, path) => {
    await till.control('POST', '/_sim/faults', { name, match: { path } });
    expect(await post()).toMatchObject({ status: 201, body: { status: 'pending' } });
    await till.control('POST', '/_sim/faults', { name, match: { path }, times: 2 });
    const key = randomUUID();
    const { status, body } = await post({}, { key });
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'creating' });

    await till.pass(600);

    const order = await reached(body.rfOrderId, 'pending');
    expect(order.rfCode).toMatch(/^RF\d{20}$/);
    await till.payRf(order);
    await reached(body.rfOrderId, 'paid');
  });
});
