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

describe('the terminal’s outcome', () => {
  it('is paid when the card is tapped', async () => {
    const saleId = await onScreen();
    await act('tap');

    expect(await till.final(`/sales/${saleId}`)).toMatchObject({ status: 'tokenized' });
  });

  it.each([
    ['declined', { action: 'decline', eventId: 10051 }, 'declined', 'CARD_INSUFFICIENT_FUNDS'],
    ['cancelled', { action: 'cancel' }, 'cancelled', 'CANCELLED_ON_TERMINAL'],
  ])(
    'is %s, in words a cashier can read, and the additional charge ends with it',
    async (_, { action, ...extra }, status, code) => {
      const saleId = await onScreen({ additionalCharge: { amount: 4000 } });
      await act(action, extra);

      const sale = await till.final(`/sales/${saleId}`);

      expect(sale).toMatchObject({ status, failure: { code, message: expect.stringMatching(/\w+ \w+/) } });
      expect(sale.additionalCharge).toMatchObject({ status: 'cancelled', final: true });
      expect(await ledger()).toEqual([]);
    },
  );

  it('is expired when nobody presents a card', async () => {
    const saleId = await onScreen();

    await till.control('POST', '/_sim/clock', { advanceSeconds: 120 });

    expect(await till.final(`/sales/${saleId}`)).toMatchObject({
      status: 'expired',
      failure: { code: 'TERMINAL_TIMED_OUT' },
    });
  });

  it('is not confirmed while the terminal never answers, with the warning not to take the money again yet', async () => {
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

  it('is declined by the amount the test platform declines', async () => {
    await till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { mode: 'auto', delayMs: 0 });

    expect(await till.sell({ amount: 9951 })).toMatchObject({
      status: 'declined',
      failure: { code: 'CARD_INSUFFICIENT_FUNDS' },
    });
  });

  it('keeps the sale paid when a phone wallet was tapped, and says that its card cannot be stored', async () => {
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
  it('stops the terminal and withdraws the additional charge', async () => {
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

  it('loses against an approval that was faster, which keeps the sale but not the charge', async () => {
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
  it('takes no second sale, and is free again after the first', async () => {
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
