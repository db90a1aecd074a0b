import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Json, Till } from './till.ts';

const till = new Till();
const personal = {
  email: 'canary.payer@example.com',
  phone: '306900000001',
  fullname: 'CANARY PAYER',
  requestLang: 'el',
  countryCode: 'GR',
};

/** The values that must not be readable, unchanged and in the forms in which they could be hidden. */
const SECRET = [/ctok?_/, /CANARY/i, /canary\.payer/, /306900000001/, /eyJ[\w-]+\./, /(Basic|Bearer) [\w+/=.-]{16,}/];
const forms = (secret: string) => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  encodeURIComponent(secret),
];

let answers = '';
let executions: string[] = [];

beforeAll(async () => {
  await till.reset();
  await till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { mode: 'auto', delayMs: 0 });
  for (const extra of [
    { additionalCharge: { amount: 4000, holderName: 'CANARY HOLDER', customer: personal } },
    { additionalCharge: { amount: 9951, customer: personal } },
    { additionalCharge: { amount: 4000, preauth: true, capture: 'immediate' } },
    { amount: 9905 },
  ]) {
    const sale = await till.sell(extra);
    answers += JSON.stringify(sale);
  }
  for (const name of ['answer_lost', 'malformed_200', 'server_error_after', 'forbidden', 'unauthorized_once']) {
    for (const path of [
      '/nativecheckout/v2/transactions',
      '/nativecheckout/v2/chargetokens',
      '/acquiring/v1/cards/tokens',
    ]) {
      const { faultId } = await till.control('POST', '/_sim/faults', { name, match: { path }, times: 1 });
      answers += JSON.stringify(await till.sell({ additionalCharge: { amount: 4000, customer: personal } }));
      await till.control('DELETE', `/_sim/faults/${faultId}`);
    }
  }
  answers += (await till.api('POST', '/sales', { ...till.saleOf(), oops: 'CANARY' }, { key: randomUUID() })).text;
  const { executions: all } = await till.control('GET', '/_cloud/executions');
  executions = all.map(({ name }: Json) => name);
}, 120_000);

function expectNoSecret(text: string): void {
  for (const pattern of SECRET) {
    expect(text.match(pattern)?.[0]).toBeUndefined();
  }
  const { credentials } = till.merchant;
  const secrets = [
    credentials.apiKey,
    credentials.pos.clientSecret,
    credentials.native.clientSecret,
    credentials.smartCheckout.clientSecret,
  ];
  for (const form of secrets.flatMap(forms)) {
    expect(text.includes(form)).toBe(false);
  }
}

describe('secrets and personal data', () => {
  it('are not in the answers of the API', () => expectNoSecret(answers));

  it('are not in the history of the executions', async () => {
    expect(executions.length).toBeGreaterThan(10);
    for (const name of executions) {
      expectNoSecret(JSON.stringify(await till.control('GET', `/_cloud/executions/${name}`)));
    }
  });

  it('are not in the logs of the functions', async () => {
    const logs = JSON.stringify(await till.control('GET', '/_cloud/logs'));

    expect(logs.length).toBeGreaterThan(1000);
    expectNoSecret(logs);
    expect(logs).not.toContain('taskToken');
  });

  it('are not in a payments item, except for what a charge must send about its payer', async () => {
    const { items } = await till.control('GET', '/_cloud/tables/payments');
    const withoutPayer = items.map(({ customer: _customer, holderName: _holderName, ...item }: Json) => item);

    expect(items.length).toBeGreaterThan(10);
    expectNoSecret(JSON.stringify(withoutPayer));
  });
});
