/** Many requests at the same moment, over HTTP, against the functions in their own workers. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { Till } from './till.ts';

const till = new Till();
beforeEach(() => till.reset());

const answersTo = (count: number, send: (n: number) => ReturnType<Till['api']>) =>
  Promise.all(Array.from({ length: count }, (_, n) => send(n)));

describe('at the same moment', () => {
  it('200 identical requests make one sale with one charge', { timeout: 120_000 }, async () => {
    const key = randomUUID();
    const body = till.saleOf({ additionalCharge: { amount: 4000 } });

    const answers = await answersTo(200, () => till.api('POST', '/sales', body, { key }));

    const accepted = answers.filter(({ status }) => status === 202);
    expect(answers.filter(({ status }) => ![202, 429, 503].includes(status))).toEqual([]);
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
    const { saleId } = accepted[0]!.body;
    expect(await till.final(`/sales/${saleId}`, 120)).toMatchObject({ totals: { terminal: 1500, charged: 4000 } });
    const { entries } = await till.control('GET', '/_sim/ledger');
    expect(entries.map(({ kind, amount }: { kind: string; amount: number }) => `${kind} ${amount}`).sort()).toEqual([
      'charge 4000',
      'sale 1500',
    ]);
  });

  it('50 captures take at most what is held', { timeout: 120_000 }, async () => {
    const { additionalCharge } = await till.startSale({ additionalCharge: { amount: 4000, preauth: true } });
    const path = `/charges/${additionalCharge.chargeId}`;
    await till.until(path, ({ status }) => status === 'authorized');

    const answers = await answersTo(50, (n) =>
      till.api('POST', `${path}/capture`, { amount: 1000 + n }, { key: randomUUID() }),
    );

    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 409]));
    const charge = await till.final(path, 120);
    const captured = (await till.control('GET', '/_sim/ledger')).entries.filter(
      ({ kind }: { kind: string }) => kind === 'capture',
    );
    expect(captured).toHaveLength(1);
    expect(charge).toMatchObject({ status: 'captured', capturedAmount: captured[0].amount });
  });

  it('of two storefronts on one terminal, the second gets 409', async () => {
    const [one, other] = await answersTo(2, () =>
      till.api('POST', '/sales', till.saleOf({ tokenize: false }), { key: randomUUID() }),
    );

    expect([one!.status, other!.status].sort()).toEqual([202, 409]);
    const winner = [one!, other!].find(({ status }) => status === 202)!;
    const loser = [one!, other!].find(({ status }) => status === 409)!;
    expect(loser.body).toMatchObject({ code: 'TERMINAL_IN_USE', saleId: winner.body.saleId });
    expect(await till.final(`/sales/${winner.body.saleId}`)).toMatchObject({ status: 'paid' });
  });
});
