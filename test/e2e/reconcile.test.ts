import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPayments } from '../../shared/payments/store.ts';
import { type CallbackReceiver, openReceiver } from './callback-receiver.ts';
import { type Json, Till } from './till.ts';

const till = new Till();
beforeEach(() => till.reset());

const { endpointUrl: endpoint, region, accessKeyId, secretAccessKey } = till.ready.aws;
const credentials = { accessKeyId, secretAccessKey };
const documents = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }), {
  marshallOptions: { removeUndefinedValues: true },
});
const payments = createPayments(documents, { name: 'tillflow-local-payments', dueShards: 1 });

const reconcile = () => till.control('POST', '/_cloud/reconcile');
const fault = (name: string, kind: string, times: number, afterCall = 0) =>
  till.control('POST', `/_cloud/functions/${name}/faults`, { kind, times, afterCall });
const mode = (settings: object) => till.control('PATCH', `/_sim/terminals/${till.terminalId}`, settings);

async function read(path: string): Promise<Json> {
  return (await till.api('GET', path)).body;
}

async function eventsOf(id: string): Promise<Json[]> {
  const { events } = await till.control('GET', '/_cloud/events');
  return events.map(({ detail }: Json) => detail).filter(({ subject }: Json) => subject === id);
}

const types = (events: readonly Json[]) => events.map(({ type }) => type);

describe('a change of status', () => {
  it('is published once, with ids and a status and nothing else', async () => {
    const sale = await till.sell({ additionalCharge: { amount: 4000 } });
    const { saleId, transactionId, additionalCharge } = sale;

    await till.pass(1);
    const ofSale = await eventsOf(saleId);
    const ofCharge = await eventsOf(additionalCharge.chargeId);
    await till.pass(900);

    expect(types(await eventsOf(saleId))).toEqual(['tillflow.sale.paid.v1', 'tillflow.sale.tokenized.v1']);
    expect(types(ofCharge)).toEqual(['tillflow.charge.charged.v1']);
    expect(ofSale[1]).toEqual({
      specversion: '1.0',
      id: expect.any(String),
      source: 'tillflow',
      type: 'tillflow.sale.tokenized.v1',
      time: expect.any(String),
      subject: saleId,
      datacontenttype: 'application/json',
      data: {
        merchantId: till.merchant.merchantId,
        saleId,
        chargeId: additionalCharge.chargeId,
        transactionId,
        status: 'tokenized',
      },
    });
    expect(await payments.due(100)).toEqual([]);
  });

  it('has the same entity tag before and after it is published', async () => {
    const { saleId } = await till.sell({ tokenize: false });
    const before = await till.api('GET', `/sales/${saleId}`);
    await till.pass(1);
    const after = await till.api('GET', `/sales/${saleId}`);

    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    expect(after.body).toEqual(before.body);
  });

  it('is published by the reconciler when the end of the execution was not received', async () => {
    await fault('handle-execution-end', 'kill', 3);
    const { saleId } = await till.sell({ tokenize: false });

    await till.pass(600);

    expect(types(await eventsOf(saleId))).toEqual(['tillflow.sale.paid.v1']);
  });
});

describe('a terminal that does not answer', () => {
  const stuck = async (extra: object = {}) => {
    await mode({ mode: 'offline' });
    const { saleId } = await till.startSale(extra);
    await till.until(`/sales/${saleId}`, ({ status }) => status === 'awaiting_card');
    return saleId as string;
  };

  /** In small steps, because the reconciler runs every five minutes and would continue. */
  const becomesUnconfirmed = async (saleId: string) => {
    let sale = await read(`/sales/${saleId}`);
    for (let step = 0; step < 40 && sale.status !== 'unconfirmed'; step++) {
      await till.pass(15);
      sale = await read(`/sales/${saleId}`);
    }
    return sale;
  };

  it('makes the sale unconfirmed, and expired together with its charge when no payment is found', async () => {
    const saleId = await stuck({ additionalCharge: { amount: 4000 } });
    const unconfirmed = await becomesUnconfirmed(saleId);
    await till.pass(1200);
    const sale = await read(`/sales/${saleId}`);

    expect(unconfirmed).toMatchObject({
      status: 'unconfirmed',
      final: false,
      failure: { code: 'TERMINAL_NOT_ANSWERING' },
    });
    expect(sale).toMatchObject({ status: 'expired', final: true, additionalCharge: { status: 'cancelled' } });
    expect(types(await eventsOf(saleId))).toEqual(['tillflow.sale.expired.v1']);
    expect(await till.ledger(saleId)).toEqual([]);
  });

  it.each([
    ['by its session', 1],
    ['by the list of transactions', 2],
  ])('makes the sale unconfirmed, and paid when its payment is found %s', async (_, outages) => {
    await till.control('POST', '/_sim/faults', { name: 'lost_webhook', times: null });
    const down = { name: 'server_error_before', match: { path: '/ecr/v1/sessions' }, times: null };
    const { faultId } = await till.control('POST', '/_sim/faults', down);
    const { saleId } = await till.startSale({ additionalCharge: { amount: 4000 } });
    const unconfirmed = await becomesUnconfirmed(saleId);
    if (outages === 1) {
      await till.control('DELETE', `/_sim/faults/${faultId}`);
    }
    await till.pass(900);

    const sale = await till.until(`/sales/${saleId}`, ({ final }) => final);

    expect(unconfirmed.status).toBe('unconfirmed');
    expect(sale).toMatchObject({ status: 'tokenized', additionalCharge: { status: 'charged' } });
    expect(await till.ledger(saleId)).toHaveLength(1);
  });
});

describe('a charge with an unknown outcome', () => {
  it.each([
    ['charged when the platform’s list has it', 'answer_lost', 'charged', 1],
    ['expired when it never appears there', 'server_error_before', 'expired', 0],
  ])('becomes %s', async (_, name, status, entries) => {
    const match = { method: 'POST', path: '/nativecheckout/v2/transactions' };
    await till.control('POST', '/_sim/faults', { name: 'lost_webhook', times: null });
    await till.control('POST', '/_sim/faults', { name, match, times: 1 });
    const { additionalCharge } = await till.sell({ additionalCharge: { amount: 4000 } });
    const { chargeId } = additionalCharge;
    await till.pass(2700);

    expect(additionalCharge).toMatchObject({ status: 'needs_review', failure: { code: 'OUTCOME_UNKNOWN' } });
    expect(await read(`/charges/${chargeId}`)).toMatchObject({ status, final: true });
    expect(await till.ledger(chargeId)).toHaveLength(entries);
    expect(types(await eventsOf(chargeId))).toEqual([
      'tillflow.charge.needs_review.v1',
      `tillflow.charge.${status}.v1`,
    ]);
  });
});

describe('an execution that failed', () => {
  it('is replaced under the next name, and takes nothing twice', async () => {
    await fault('create-card-token', 'kill', 5);
    await fault('record-failure', 'throttle', 60);
    const { saleId } = await till.startSale({ additionalCharge: { amount: 4000 } });
    await till.until(`/sales/${saleId}`, ({ status }) => status === 'paid');
    await till.pass(2400);
    await reconcile();

    const sale = await till.until(`/sales/${saleId}`, ({ final }) => final);

    expect(sale).toMatchObject({ status: 'tokenized', additionalCharge: { status: 'charged' } });
    const { executions } = await till.control('GET', '/_cloud/executions');
    expect(executions.map(({ name, status }: Json) => [name, status])).toEqual([
      [`${saleId}.1`, 'SUCCEEDED'],
      [saleId, 'FAILED'],
    ]);
    expect(await till.ledger(saleId)).toHaveLength(1);
    expect(await till.ledger(sale.additionalCharge.chargeId)).toHaveLength(1);
  });

  it('never starts a terminal late', async () => {
    await fault('send-sale-request', 'kill', 20);
    await fault('record-failure', 'throttle', 60);
    const { saleId } = await till.startSale();
    await till.pass(2400);
    await reconcile();

    const sale = await till.until(`/sales/${saleId}`, ({ final }) => final);

    expect(sale).toMatchObject({ status: 'expired', failure: { code: 'SALE_NOT_SENT' } });
    expect(await till.requests('transactions:sale')).toEqual([]);
  });
});

describe('a callback', () => {
  let receiver: CallbackReceiver;
  const {
    merchantId,
    credentials: { callbackSecret },
  } = till.merchant;
  beforeEach(async () => {
    receiver = await openReceiver(callbackSecret);
    await payments.change('account', merchantId, () => ({ callbackUrl: receiver.url }));
  });
  afterEach(() => receiver.close());

  it('reports the end of a sale to the storefront once, signed', async () => {
    const { saleId } = await till.sell({ tokenize: false });
    await till.pass(1);
    await till.pass(900);

    expect(receiver.received).toMatchObject([
      { verified: true, event: { type: 'tillflow.sale.paid.v1', subject: saleId, data: { status: 'paid' } } },
    ]);
    expect(receiver.received[0]?.id).toBe(receiver.received[0]?.event.id);
  });

  it('is repeated under the same id until it is accepted', async () => {
    receiver.status = 500;
    await till.sell({ tokenize: false });
    await till.pass(1);
    await till.pass(600);
    receiver.status = 200;
    await till.pass(3600);
    const attempts = receiver.received.length;
    await till.pass(86_400);

    expect(attempts).toBeGreaterThan(2);
    expect(receiver.received).toHaveLength(attempts);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expect(receiver.received.every(({ verified }) => verified)).toBe(true);
  });

  it('is repeated after five seconds, before the reconciler runs', async () => {
    receiver.status = 500;
    await till.sell({ tokenize: false });
    await till.pass(1);
    await till.pass(6);

    expect(receiver.received).toHaveLength(2);
  });

  it.each([2, 6, 9])('is not lost when its function dies after %i of its calls', async (afterCall) => {
    receiver.status = 500;
    await fault('deliver-event', 'kill', 3, afterCall);
    await till.sell({ tokenize: false });
    await till.pass(1);
    await till.pass(60);
    receiver.status = 204;
    await till.pass(3_600);

    const { items } = await payments.list('delivery', { merchantId, limit: 1 });
    expect(items).toMatchObject([{ state: 'delivered', lastStatus: '204' }]);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  });

  it('is given up after three days, kept, and can be sent again', async () => {
    receiver.status = 302;
    await till.sell({ tokenize: false });
    await till.pass(1);
    await till.pass(4 * 86_400);
    const { items } = await payments.list('delivery', { merchantId, limit: 10 });
    const attempts = receiver.received.length;
    await till.pass(86_400);

    expect(items).toMatchObject([{ state: 'dead', attempts: 10, lastStatus: '302' }]);
    expect(receiver.received).toHaveLength(attempts);

    receiver.status = 204;
    await deliveries('redrive', merchantId);
    await reconcile();
    await till.pass(1);
    expect(await deliveries('list', merchantId)).toContain('delivered');
  });
});

/** The operator's tool, run as its user runs it. */
async function deliveries(command: string, merchant: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['operator/deliveries.ts', command, merchant, '--environment', 'local'],
    {
      env: {
        ...process.env,
        AWS_ENDPOINT_URL: endpoint,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
      },
    },
  );
  return stdout;
}
