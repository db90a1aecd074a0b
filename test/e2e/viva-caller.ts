/** A client of the simulated platform for its own tests, written from the documentation and nothing of ours. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform } from '../../sandbox/viva/viva.ts';

export interface Reply {
  readonly status: number;
  readonly eventId: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as the tests need them
  readonly json: any;
}

const POLL_MS = 5;

type Body = object | string | undefined;
export type Caller = ReturnType<typeof callerOf>;

export function callerOf(platform: Platform) {
  const { authUrl, apiUrl, baseUrl } = platform.urls;

  async function send(method: string, url: string, headers: Record<string, string>, body?: Body): Promise<Reply> {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...(typeof body === 'object' ? { 'Content-Type': 'application/json' } : {}), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return replyOf(response);
  }

  async function token(
    { clientId, clientSecret }: { clientId: string; clientSecret: string },
    form = '',
  ): Promise<Reply> {
    const headers = {
      Authorization: basic(clientId, clientSecret),
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    return send('POST', `${authUrl}/connect/token`, headers, `grant_type=client_credentials${form}`);
  }

  async function control(method: string, path: string, body?: object): Promise<Reply> {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    return replyOf(await platform.control.request(path, init));
  }

  async function bearer(client: { clientId: string; clientSecret: string }): Promise<Record<string, string>> {
    return { Authorization: `Bearer ${(await token(client)).json.access_token}` };
  }

  function as(index: number) {
    const merchant = platform.merchants[index]!;
    const { merchantId, credentials } = merchant;
    const isv = merchant.mode === 'isv';
    const native = async (method: string, path: string, body?: Body) =>
      send(
        method,
        `${apiUrl}/nativecheckout/v2${isv ? '/isv' : ''}${path}?MerchantId=${merchantId}`,
        await bearer(isv ? platform.isv : credentials.native),
        body,
      );
    const ecr = async (method: string, path: string, body?: Body) =>
      send(method, `${apiUrl}/ecr/v1${path}`, await bearer(credentials.pos), body);
    const legacy = (method: string, path: string, body?: Body) =>
      send(method, `${baseUrl}${path}`, { Authorization: basic(merchantId, credentials.apiKey) }, body);
    const sale = (amount: number, more: object = {}) =>
      ecr('POST', '/transactions:sale', {
        sessionId: crypto.randomUUID(),
        terminalId: merchant.terminals[0],
        cashRegisterId: 'till-1',
        amount,
        currencyCode: '978',
        merchantReference: '',
        tipAmount: 0,
        ...more,
      });
    return {
      merchant,
      native,
      ecr,
      legacy,
      sale,
      reseller: (method: string, path: string, body?: Body) =>
        send(
          method,
          `${baseUrl}${path}`,
          { Authorization: basic(`${platform.isv.resellerId}:${merchantId}`, platform.isv.resellerApiKey) },
          body,
        ),
      smartCheckout: async (method: string, path: string, body?: Body) =>
        send(method, `${apiUrl}${path}`, await bearer(credentials.smartCheckout), body),
      finishedSession: (sessionId: string) =>
        until(
          () => ecr('GET', `/sessions/${sessionId}`),
          (reply) => reply.status === 200,
        ),
      async paidSale(amount: number, merchantReference = '') {
        const sessionId = crypto.randomUUID();
        await control('PATCH', `/_sim/terminals/${merchant.terminals[0]}`, { delayMs: 0 });
        await sale(amount, { sessionId, merchantReference });
        return (await this.finishedSession(sessionId)).json;
      },
      async cardToken(transactionId: string): Promise<string> {
        return (await this.smartCheckout('POST', '/acquiring/v1/cards/tokens', { transactionId })).json.token;
      },
      chargeToken: (cardToken: string, amount: number, more: object = {}) =>
        native('POST', '/chargetokens', {
          moto: true,
          amount,
          token: cardToken,
          holderName: 'CANARY HOLDER',
          expirationYear: 2031,
          expirationMonth: 12,
          currencyCode: '978',
          ...more,
        }),
      transaction: (chargeToken: string, amount: number, more: object = {}) =>
        native('POST', '/transactions', {
          amount,
          isvAmount: 0,
          preauth: false,
          chargeToken,
          installments: 0,
          allowsRecurring: false,
          merchantTrns: '',
          customerTrns: '',
          currencyCode: 978,
          ...more,
        }),
      async charge(cardToken: string, amount: number, more: object = {}) {
        const { json } = await this.chargeToken(cardToken, amount);
        return this.transaction(json.chargeToken, amount, more);
      },
    };
  }

  return {
    as,
    send,
    token,
    bearer,
    control,
  };
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

async function until(read: () => Promise<Reply>, done: (reply: Reply) => boolean): Promise<Reply> {
  for (let reply = await read(); ; reply = await read()) {
    if (done(reply)) {
      return reply;
    }
    await sleep(POLL_MS);
  }
}

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  const eventId = Number(response.headers.get('X-Viva-EventId') ?? '-1');
  return { status: response.status, eventId, headers: response.headers, text, json };
}
