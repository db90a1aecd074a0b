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

describe('a sale request that goes wrong', () => {
  it.each(['refused', 'server_error_before', 'server_error_after', 'answer_lost'])(
    'is paid once after %s',
    async (name) => {
      await fault(name, SALE);

      const sale = await till.sell();

      expect(sale.status).toBe('tokenized');
      expect(await ledger()).toEqual(['sale 1500']);
    },
  );
});

describe('a charge that goes wrong', () => {
  it.each(['server_error_after', 'answer_lost', 'malformed_200'])(
    'is never sent twice after %s, and goes to a person',
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
      // Without a proof of either, a person decides; with one, the charge says what the ledger says.
      if (additionalCharge.status !== 'needs_review') {
        expect(additionalCharge.status).toBe(charged.length === 1 ? 'charged' : 'failed');
      }
    },
  );

  it.each([0, 1, 2, 3, 4, 5])('takes the sale once when send-sale-request dies after call %i', async (afterCall) => {
    await till.kill('send-sale-request', afterCall);

    expect(await till.sell()).toMatchObject({ status: 'tokenized' });

    expect(await ledger()).toEqual(['sale 1500']);
  });

  it.each(['await-terminal', 'retrieve-transaction', 'create-card-token', 'create-charge-token'])(
    'goes on when %s dies',
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
  it('loses no sale when a token is revoked', async () => {
    await till.sell();
    for (const credentialSet of ['pos', 'smartCheckout', 'native']) {
      await till.control('POST', '/_sim/tokens/revoke', { credentialSet, merchantId: till.merchant.merchantId });
    }

    expect(await till.sell({ additionalCharge: { amount: 4000 } })).toMatchObject({
      additionalCharge: { status: 'charged' },
    });
  });

  it('loses no sale when a credential set is rotated', async () => {
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
