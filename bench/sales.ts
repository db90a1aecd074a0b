/** The cost of one sale with an additional charge, and the number of access tokens requested by two hundred of them. */
import { startSandbox } from '../sandbox/sandbox.ts';
import type { Measurement } from './measurement.ts';

const SALES = 200;
const MAX_TRANSITIONS = 15;
const MAX_WRITES = 18;
/** Sale, transaction, card token, charge token, charge; without session reads. */
const FLOW_CALLS = 5;
const MAX_TOKEN_REQUESTS = 2;
/** Yesterday, the day before, and two days before that. */
const MAX_DAY_LISTS = 3;
const MAX_HISTORY_BYTES = 8 * 1024;

interface RequestRow {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly credentialSet: string | null;
}

export async function measureSales(): Promise<readonly Measurement[]> {
  const sandbox = await startSandbox({ port: 0, seed: 1, onProgress: () => {} });
  try {
    const ready = await sandbox.readyLine();
    const { accessToken } = ready.storefront;
    // biome-ignore lint/suspicious/noExplicitAny: answers of several resources, checked by what the bench computes of them
    const get = async (url: string): Promise<any> =>
      (await fetch(url, { headers: { authorization: `Bearer ${accessToken}`, prefer: 'wait=20' } })).json();
    const requests = async (): Promise<RequestRow[]> => (await get(`${ready.controlUrl}/_sim/requests`)).requests;

    const sell = async (merchantId: string, terminalId: string): Promise<string> => {
      const answer = await fetch(`${ready.apiUrl}/sales`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${accessToken}`,
          'content-type': 'application/json',
          'idempotency-key': crypto.randomUUID(),
        },
        body: JSON.stringify({
          ...{ merchantId, terminalId, cashRegisterId: 'till-1', amount: 1500, currency: 'EUR', tokenize: true },
          additionalCharge: { amount: 4000 },
        }),
      });
      const { saleId } = (await answer.json()) as { saleId: string };
      let sale = await get(`${ready.apiUrl}/sales/${saleId}`);
      while (!sale.final) {
        sale = await get(`${ready.apiUrl}/sales/${saleId}`);
      }
      if (sale.additionalCharge.status !== 'charged') {
        throw new Error(`a sale of the bench ended ${sale.status}, and its charge ${sale.additionalCharge.status}`);
      }
      return saleId;
    };

    const tills = sandbox.platform.merchants.flatMap(({ merchantId, terminals }) =>
      terminals.map((terminalId) => ({ merchantId, terminalId })),
    );
    const [first] = tills;
    await sell(first!.merchantId, first!.terminalId); // Warms access tokens and functions.
    // Another card than before, so that its token does not exist yet.
    await fetch(`${ready.controlUrl}/_sim/terminals/${first!.terminalId}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ card: 'mastercard' }),
    });
    const before = (await requests()).length;
    const saleId = await sell(first!.merchantId, first!.terminalId);
    const calls = (await requests()).slice(before).filter(({ path }) => !path.includes('/sessions/'));
    const { transitions, writes, history } = await get(`${ready.controlUrl}/_cloud/executions/${saleId}`);

    let left = SALES;
    await Promise.all(
      tills.map(async ({ merchantId, terminalId }) => {
        while (left-- > 0) {
          await sell(merchantId, terminalId);
        }
      }),
    );
    const tokenRequests = mostTokenRequests(await requests(), sandbox.platform.merchants.length);
    const dayLists = await dayListsOfNight(ready.controlUrl, requests);
    return [
      { what: 'state transitions of a sale with charge', budget: MAX_TRANSITIONS, value: transitions, unit: '' },
      { what: 'DynamoDB writes of a sale with charge', budget: MAX_WRITES, value: writes, unit: '' },
      {
        what: 'platform calls of a sale with charge, without session reads',
        budget: FLOW_CALLS + 1,
        value: calls.length,
        unit: '',
      },
      { what: 'largest history event', budget: MAX_HISTORY_BYTES, value: largest(history), unit: 'bytes' },
      {
        what: `access tokens requested by ${SALES} sales, most of one set`,
        budget: MAX_TOKEN_REQUESTS,
        value: tokenRequests,
        unit: '',
      },
      {
        what: `lists of days read for ${SALES} sales, per merchant and night`,
        budget: MAX_DAY_LISTS,
        value: dayLists / sandbox.platform.merchants.length,
        unit: '',
      },
    ];
  } finally {
    await sandbox.close();
  }
}

/** Of all merchants, in the first night after the sales. */
async function dayListsOfNight(controlUrl: string, requests: () => Promise<RequestRow[]>): Promise<number> {
  const advance = (advanceSeconds: number) =>
    fetch(`${controlUrl}/_sim/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ advanceSeconds }),
    });
  await advance(1_800); // a new account is read once
  const before = (await requests()).length;
  await advance(86_400);
  const night = (await requests()).slice(before);
  return night.filter(({ path, query }) => path === '/api/transactions' && query['date'] !== undefined).length;
}

function largest(history: readonly object[]): number {
  return Math.max(...history.map((event) => JSON.stringify(event).length));
}

/** The log names the credential set, not its owner: the requests of a set, divided by the accounts that have one. */
function mostTokenRequests(rows: readonly RequestRow[], accounts: number): number {
  const asked = rows.filter(({ path }) => path === '/connect/token');
  const perSet = [...Map.groupBy(asked, ({ credentialSet }) => credentialSet)];
  return Math.max(0, ...perSet.map(([set, requests]) => requests.length / (set === 'isv' ? 1 : accounts)));
}
