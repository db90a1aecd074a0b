import { beforeEach, describe, expect, it } from 'vitest';
import { Till } from './till.ts';

const till = new Till();

beforeEach(async () => {
  await till.reset();
  await till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { mode: 'manual' });
});

const act = (action: string, extra: object = {}) =>
  till.control('POST', `/_sim/terminals/${till.terminalId}/actions`, { action, ...extra });

async function onScreen(extra: object = {}): Promise<string> {
  const { saleId } = await till.startSale(extra);
  await till.until(`/sales/${saleId}`, ({ status }) => status === 'awaiting_card');
  return saleId;
}

const ledger = async () => (await till.control('GET', '/_sim/ledger')).entries;

describe('the outcome of a terminal', () => {
  it('is paid when the card is tapped', async () => {
    const saleId = await onScreen();
    await act('tap');

    expect(await till.final(`/sales/${saleId}`)).toMatchObject({ status: 'tokenized' });
  });

  it.each([
    ['declined', { action: 'decline', eventId: 10051 }, 'declined', 'CARD_INSUFFICIENT_FUNDS'],
    ['cancelled', { action: 'cancel' }, 'cancelled', 'CANCELLED_ON_TERMINAL'],
  ])(
    'is %s in words that a cashier can read, and ends the additional charge',
    async (_, { action, ...extra }, status, code) => {
      const saleId = await onScreen({ additionalCharge: { amount: 4000 } });
      await act(action, extra);

      const sale = await till.final(`/sales/${saleId}`);

      expect(sale).toMatchObject({ status, failure: { code, message: expect.stringMatching(/\w+ \w+/) } });
      expect(sale.additionalCharge).toMatchObject({ status: 'cancelled', final: true });
      expect(await ledger()).toEqual([]);
    },
  );

  it('is expired when no card is presented', async () => {
    const saleId = await onScreen();

    await till.control('POST', '/_sim/clock', { advanceSeconds: 120 });

    expect(await till.final(`/sales/${saleId}`)).toMatchObject({
      status: 'expired',
      failure: { code: 'TERMINAL_TIMED_OUT' },
    });
  });

  it('is unconfirmed while the terminal does not answer, with a warning not to take the money again yet', async () => {
    await till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { mode: 'offline' });
    const saleId = await onScreen();

    await till.control('POST', '/_sim/clock', { advanceSeconds: 300 });

    const sale = await till.until(`/sales/${saleId}`, ({ status }) => status === 'unconfirmed');

    expect(sale).toMatchObject({
      final: false,
      failure: { code: 'TERMINAL_NOT_ANSWERING', message: expect.stringContaining('Do not take the money again') },
    });
  });

  it('is failed when the terminal is busy', async () => {
    await till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { mode: 'busy' });

    const sale = await till.sell();

    expect(sale).toMatchObject({ status: 'failed', failure: { code: 'TERMINAL_BUSY', retryable: true } });
  });

  it('is declined for the amounts that the test platform declines', async () => {
    await till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { mode: 'auto', delayMs: 0 });

    expect(await till.sell({ amount: 9951 })).toMatchObject({
      status: 'declined',
      failure: { code: 'CARD_INSUFFICIENT_FUNDS' },
    });
  });

  it('is paid when a phone wallet was tapped, with the reason why its card cannot be stored', async () => {
    const saleId = await onScreen({ additionalCharge: { amount: 4000 } });
    await act('tap', { card: 'wallet' });

    const sale = await till.final(`/sales/${saleId}`);

    expect(sale).toMatchObject({
      status: 'paid',
      tokenization: { status: 'refused', code: 'CARD_NOT_TOKENIZABLE' },
      additionalCharge: { status: 'failed', failure: { code: 'CARD_NOT_TOKENIZABLE' } },
    });
    expect((await ledger()).map(({ kind }: { kind: string }) => kind)).toEqual(['sale']);
  });
});

describe('an abort', () => {
  it('stops the terminal and cancels the additional charge', async () => {
    const saleId = await onScreen({ additionalCharge: { amount: 4000 } });

    const aborted = await till.api('POST', `/sales/${saleId}/abort`);
    const sale = await till.final(`/sales/${saleId}`);

    expect(aborted).toMatchObject({ status: 202, body: { saleId, abortRequestedAt: expect.any(String) } });
    expect(sale).toMatchObject({
      status: 'cancelled',
      failure: { code: 'SALE_ABORTED' },
      additionalCharge: { status: 'cancelled' },
    });
    expect(await ledger()).toEqual([]);
  });

  it('is refused once the sale is paid', async () => {
    const saleId = await onScreen();
    await act('tap');
    await till.final(`/sales/${saleId}`);

    expect(await till.api('POST', `/sales/${saleId}/abort`)).toMatchObject({
      status: 409,
      body: { code: 'SALE_NOT_ABORTABLE' },
    });
  });

  it('is too late for a faster approval: the sale stays paid, the charge is cancelled', async () => {
    const saleId = await onScreen({ additionalCharge: { amount: 4000 } });
    await till.control('POST', '/_sim/faults', { name: 'refused', match: { method: 'DELETE' }, times: null });
    await till.api('POST', `/sales/${saleId}/abort`);
    await act('tap');

    const sale = await till.final(`/sales/${saleId}`);

    expect(sale).toMatchObject({
      status: 'tokenized',
      additionalCharge: { status: 'cancelled', failure: { code: 'CHARGE_WITHDRAWN' } },
    });
    expect((await ledger()).map(({ kind }: { kind: string }) => kind)).toEqual(['sale']);
  });
});

describe('a terminal in use', () => {
  it('refuses a second sale, and is free again after the first', async () => {
    const saleId = await onScreen();

    const second = await till.api('POST', '/sales', till.saleOf(), { key: 'second' });
    await act('cancel');
    await till.final(`/sales/${saleId}`);
    const third = await till.api('POST', '/sales', till.saleOf(), { key: 'third' });

    expect(second).toMatchObject({ status: 409, body: { code: 'TERMINAL_IN_USE', retryable: true } });
    expect(second.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(third.status).toBe(202);
  });
});

describe('a session that the platform does not show', () => {
  const SALE = '/ecr/v1/transactions:sale';
  const SESSIONS = '/ecr/v1/sessions/*';
  const stops = async () => (await till.requests('/ecr/v1/sessions/')).filter(({ method }) => method === 'DELETE');
  const hide = (): Promise<{ faultId: string }> =>
    till.control('POST', '/_sim/faults', { name: 'not_visible', match: { path: SESSIONS }, times: null });
  const show = (faultId: string) => till.control('DELETE', `/_sim/faults/${faultId}`);
  const loseRequest = () =>
    till.control('POST', '/_sim/faults', { name: 'server_error_before', match: { path: SALE }, times: 1 });
  const sale = async (saleId: string) => (await till.api('GET', `/sales/${saleId}`)).body;

  beforeEach(() => till.control('PATCH', '/_sim/switches', { duplicateSession: 'accepted' }));

  it.each([12, 28])('is waited for when it appears after %i seconds, and paid once', async (seconds) => {
    const { faultId } = await hide();
    await till.control('POST', '/_sim/faults', { name: 'answer_lost', match: { path: SALE }, times: 1 });
    const { saleId } = await till.startSale({ tokenize: false });
    await till.requested(SALE);
    await till.pass(seconds);
    await act('tap');
    await show(faultId);

    expect(await till.final(`/sales/${saleId}`)).toMatchObject({ status: 'paid' });
    expect(await till.requests(SALE)).toHaveLength(1);
    expect(await stops()).toEqual([]);
    expect(await ledger()).toHaveLength(1);
  });

  it('is stopped when it appears later, and what the payer paid meanwhile counts', async () => {
    const { faultId } = await hide();
    const { saleId } = await till.startSale({ tokenize: false });
    await till.requested(SALE);
    await till.pass(29);
    await act('tap');
    await till.pass(20);
    expect(await sale(saleId)).toMatchObject({ status: 'unconfirmed', final: false });
    await show(faultId);
    await till.pass(10);

    expect(await till.final(`/sales/${saleId}`)).toMatchObject({ status: 'paid' });
    expect(await stops()).not.toEqual([]);
    expect(await ledger()).toHaveLength(1);
  });

  it('makes the sale unconfirmed when the request was lost, and holds the terminal for two minutes', async () => {
    await loseRequest();
    const { saleId, createdAt } = await till.startSale();
    await till.pass(45);

    const open = await sale(saleId);
    const busy = await till.api('POST', '/sales', till.saleOf(), { key: 'meanwhile' });
    expect(open).toMatchObject({
      status: 'unconfirmed',
      failure: { code: 'TERMINAL_NOT_ANSWERING', message: expect.stringContaining('Do not take the money again') },
    });
    expect(Date.parse(open.terminalHeldUntil) - Date.parse(createdAt)).toBeLessThan(125_000);
    expect(busy).toMatchObject({ status: 409, body: { code: 'TERMINAL_IN_USE', saleId } });
    const wait = Number(busy.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(60);
    await till.pass(wait + 1);

    expect((await till.api('POST', '/sales', till.saleOf(), { key: 'meanwhile' })).status).toBe(202);
    await till.pass(1_500);
    expect(await till.requests(SALE)).toHaveLength(2);
    expect((await till.control('GET', `/_cloud/executions/${saleId}`)).transitions).toBeLessThanOrEqual(25);
    expect(await sale(saleId)).toMatchObject({ status: 'expired', final: true });
    expect(await sale(saleId)).not.toHaveProperty('terminalHeldUntil');
  });

  it('is stopped when it appears a minute late', async () => {
    const late = { name: 'late_commit', match: { path: SALE }, times: 1, delaySeconds: 60 };
    await till.control('POST', '/_sim/faults', late);
    const { saleId } = await till.startSale();
    await till.pass(80);

    expect(await till.final(`/sales/${saleId}`)).toMatchObject({ status: 'expired' });
    expect((await stops()).at(-1)).toMatchObject({ status: 200 });
    expect(await ledger()).toEqual([]);
  });

  it('frees its terminal as soon as the platform passes on the abort, which is repeated until then', async () => {
    await hide();
    const stop = { match: { method: 'DELETE', path: SESSIONS }, times: 1 };
    await till.control('POST', '/_sim/faults', { name: 'server_error_before', ...stop });
    await till.control('POST', '/_sim/faults', { name: 'answer_lost', ...stop });
    const { saleId } = await till.startSale();
    await till.pass(70);

    const { status, terminalHeldUntil } = await sale(saleId);
    expect({ status, terminalHeldUntil }).toEqual({ status: 'unconfirmed', terminalHeldUntil: undefined });
    expect((await stops()).map((one) => one.status)).toEqual([500, null, 409]);
    expect((await till.api('POST', '/sales', till.saleOf(), { key: 'next' })).status).toBe(202);
  });

  it('is not treated as missing once it was seen', async () => {
    const saleId = await onScreen();
    await till.pass(10);
    await hide();
    await till.pass(40);

    expect(await sale(saleId)).toMatchObject({ status: 'awaiting_card' });
    expect(await stops()).toEqual([]);
  });
});
