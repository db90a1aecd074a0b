import { beforeEach, describe, expect, it } from 'vitest';
import { type Json, Till } from './till.ts';

const till = new Till();
beforeEach(async () => {
  await till.reset();
  await till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { mode: 'auto', delayMs: 0 });
});

const SALE = '/ecr/v1/transactions:sale';
const CHARGE = '/nativecheckout/v2/transactions';
const ledger = async () =>
  (await till.control('GET', '/_sim/ledger')).entries.map(({ kind, amount }: Json) => `${kind} ${amount}`);
const fault = (name: string, path: string, times = 1) =>
  till.control('POST', '/_sim/faults', { name, match: { path }, times });

const CHARGED_TWICE_IF_SENT_TWICE = { duplicateSession: 'accepted' };

describe('a sale request that fails', () => {
  beforeEach(() => till.control('PATCH', '/_sim/switches', CHARGED_TWICE_IF_SENT_TWICE));

  it.each(['server_error_after', 'answer_lost', 'slow'])('is sent and paid once after %s', async (name) => {
    await fault(name, SALE);
    const { saleId } = await till.startSale();
    await till.pass(40);

    expect(await till.final(`/sales/${saleId}`)).toMatchObject({ status: 'tokenized' });
    expect(await till.requests(SALE)).toHaveLength(1);
    expect(await ledger()).toEqual(['sale 1500']);
  });

  it.each(['too_many_requests', 'ecr_busy', 'unauthorized_once'])(
    'is sent again after %s, which proves that nothing was started',
    async (name) => {
      await fault(name, SALE);

      expect(await till.sell()).toMatchObject({ status: 'tokenized' });
      expect(await till.requests(SALE)).toHaveLength(2);
      expect(await ledger()).toEqual(['sale 1500']);
    },
  );

  it('ends unsent when the platform is busy for as long as the sale may be sent', async () => {
    await till.control('POST', '/_sim/faults', { name: 'ecr_busy', match: { path: SALE }, times: null });
    const { saleId, createdAt } = await till.startSale();
    await till.pass(60);

    const sent = await till.requests(SALE);
    expect(await till.final(`/sales/${saleId}`)).toMatchObject({
      status: 'expired',
      failure: { code: 'SALE_NOT_SENT', retryable: true },
    });
    expect(sent.length).toBeGreaterThan(5);
    expect(Date.parse(sent.at(-1).at)).toBeLessThanOrEqual(Date.parse(createdAt) + 30_000);
  });

  it.each(['refused', 'server_error_before'])('is not sent again after %s, and ends as never made', async (name) => {
    await fault(name, SALE);
    const { saleId } = await till.startSale();
    await till.pass(45);

    expect((await till.api('GET', `/sales/${saleId}`)).body).toMatchObject({ status: 'unconfirmed', final: false });
    await till.pass(1_500);

    expect(await till.final(`/sales/${saleId}`)).toMatchObject({ status: 'expired' });
    expect(await till.requests(SALE)).toHaveLength(1);
    expect(await ledger()).toEqual([]);
  });

  it.each([60, 600])('is paid once when the platform processes it %i seconds late', async (delaySeconds) => {
    await till.control('POST', '/_sim/faults', { name: 'late_commit', match: { path: SALE }, times: 1, delaySeconds });
    const { saleId } = await till.startSale();
    await till.pass(delaySeconds + 900);

    expect(await till.final(`/sales/${saleId}`)).toMatchObject({ status: 'tokenized' });
    expect(await till.requests(SALE)).toHaveLength(1);
    expect(await ledger()).toEqual(['sale 1500']);
  });
});

describe('a charge that fails', () => {
  it.each(['server_error_after', 'answer_lost', 'malformed_200'])(
    'is never sent twice after %s, and needs review',
    async (name) => {
      await fault(name, CHARGE);

      const sale = await till.sell({ additionalCharge: { amount: 4000 } });

      expect(sale.additionalCharge).toMatchObject({ status: 'needs_review', failure: { code: 'OUTCOME_UNKNOWN' } });
      expect(await till.requests(CHARGE)).toHaveLength(1);
      expect(await ledger()).toEqual(['sale 1500', 'charge 4000']);
    },
  );

  it('is declined by the issuer, and the sale stays paid', async () => {
    const sale = await till.sell({ additionalCharge: { amount: 9951 } });

    expect(sale).toMatchObject({
      status: 'tokenized',
      additionalCharge: { status: 'declined', failure: { code: 'CARD_INSUFFICIENT_FUNDS' } },
      totals: { net: 1500 },
    });
  });

  it('stops at the issuer’s form', async () => {
    await till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { card: 'challenge' });
    const { saleId } = await till.startSale({ additionalCharge: { amount: 4000, moto: false } });

    const sale = await till.until(
      `/sales/${saleId}`,
      (one) => one.additionalCharge.status === 'requires_authentication',
    );

    expect(sale).toMatchObject({ status: 'tokenized', final: false });
    expect(await till.requests(CHARGE)).toEqual([]);
  });
});

describe('a function that dies', () => {
  it.each([0, 1, 2, 3, 4, 5, 6])(
    'never charges twice when create-transaction dies after call %i',
    async (afterCall) => {
      await till.kill('create-transaction', afterCall);

      const { additionalCharge } = await till.sell({ additionalCharge: { amount: 4000 } });

      const charged = (await ledger()).filter((entry: string) => entry.startsWith('charge'));
      expect(charged.length).toBeLessThanOrEqual(1);
      expect(await till.requests(CHARGE)).toHaveLength(charged.length);
      // Without a proof of either a person decides; with one the charge says what the ledger says.
      if (additionalCharge.status !== 'needs_review') {
        expect(additionalCharge.status).toBe(charged.length === 1 ? 'charged' : 'failed');
      }
    },
  );

  it.each([0, 1, 2, 3, 4, 5, 6])('never sends twice when send-sale-request dies after call %i', async (afterCall) => {
    await till.control('PATCH', '/_sim/switches', CHARGED_TWICE_IF_SENT_TWICE);
    await till.kill('send-sale-request', afterCall);
    const { saleId } = await till.startSale();
    await till.pass(60);
    const { status } = await till.until(`/sales/${saleId}`, (sale) => sale.final || sale.status === 'unconfirmed');

    const sent = await till.requests(SALE);
    expect(sent.length).toBeLessThanOrEqual(1);
    expect(status).toBe(sent.length === 1 ? 'tokenized' : 'unconfirmed');
    expect(await ledger()).toEqual(sent.length === 1 ? ['sale 1500'] : []);
  });

  it.each(['await-terminal', 'retrieve-transaction', 'create-card-token', 'create-charge-token'])(
    'continues when %s dies',
    async (name) => {
      await till.kill(name, 2);

      expect(await till.sell({ additionalCharge: { amount: 4000 } })).toMatchObject({
        status: 'tokenized',
        additionalCharge: { status: 'charged' },
      });
    },
  );
});

describe('access tokens and secrets', () => {
  it('lose no sale when a token is revoked', async () => {
    await till.sell();
    for (const credentialSet of ['pos', 'smartCheckout', 'native']) {
      await till.control('POST', '/_sim/tokens/revoke', { credentialSet, merchantId: till.merchant.merchantId });
    }

    expect(await till.sell({ additionalCharge: { amount: 4000 } })).toMatchObject({
      additionalCharge: { status: 'charged' },
    });
  });

  it('lose no sale when a credential set is rotated', async () => {
    const { merchantId, credentials } = till.merchant;
    await till.sell();
    const rotated = await till.control('POST', `/_sim/accounts/${merchantId}/credentials/native/rotate`, {});
    await till.control('PUT', `/_cloud/secrets/${encodeURIComponent(`tillflow/local/accounts/${merchantId}`)}`, {
      value: { ...credentials, native: { ...credentials.native, ...rotated } },
    });
    await till.control('POST', '/_sim/tokens/revoke', { credentialSet: 'native', merchantId });

    expect(await till.sell({ additionalCharge: { amount: 4000 } })).toMatchObject({
      additionalCharge: { status: 'charged' },
    });
  });
});
