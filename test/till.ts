/** What a storefront and a tester do over HTTP: the API on one side, the sandbox's control API on the other. */
import { randomUUID } from 'node:crypto';
import { readContract } from './contract.ts';
import type { ReadyLine } from './e2e/run-sandbox.ts';

export interface Answer<T = Json> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are what the other side says they are; tests say what they expect
export type Json = any;

const contract = readContract();

interface CallOptions {
  readonly key?: string | undefined;
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
}

export const PATHS = { sale: '/sales', charge: '/charges', 'rf-order': '/rf-orders' } as const;

/** One for each merchant, in their order. */
export function tillsOf(ready: ReadyLine): readonly Till[] {
  return ready.merchants.map(({ mode }, index) => {
    const ofMode = ready.merchants.filter((one) => one.mode === mode);
    return new Till(mode, ofMode.indexOf(ready.merchants[index]!), ready);
  });
}

export class Till {
  readonly ready: ReadyLine;
  readonly merchant: ReadyLine['merchants'][number];
  readonly terminalId: string;
  #token: string;

  /** `index`: which of the merchants of that mode. */
  constructor(mode: 'merchant' | 'isv', index: number, ready: ReadyLine) {
    this.ready = ready;
    this.#token = ready.storefront.accessToken;
    this.merchant = this.ready.merchants.filter((one) => one.mode === mode).at(index)!;
    this.terminalId = this.merchant.terminals[0]!;
  }

  /** Uses the storefront's own token by default, and a new one when the clock was advanced past its end. */
  async api(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    const answer = await this.#call(method, path, body, options);
    if (answer.status !== 401 || options.token !== undefined) {
      return answer;
    }
    this.#token = await this.freshToken();
    return this.#call(method, path, body, options);
  }

  async #call(method: string, path: string, body: unknown, { key, token, headers }: CallOptions): Promise<Answer> {
    const answer = await send(`${this.ready.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token ?? this.#token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    contract.checkAnswer(method, path, answer);
    return answer;
  }

  /** Calls the sandbox's control API; throws when it refuses. */
  async control(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await send(`${this.ready.controlUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    }
    return answer.body;
  }

  /** Returns a new access token; needed after the clock was advanced. */
  async freshToken(): Promise<string> {
    const { clientId, clientSecret } = this.ready.storefront;
    const { body } = await send(`${this.ready.issuerUrl}/connect/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return body.access_token;
  }

  async reset(): Promise<void> {
    await this.control('POST', '/_sim/reset', {});
  }

  saleOf(extra: object = {}) {
    return {
      merchantId: this.merchant.merchantId,
      terminalId: this.terminalId,
      cashRegisterId: 'till-1',
      amount: 1500,
      currency: 'EUR',
      merchantTrns: 'room 12',
      tokenize: true,
      ...extra,
    };
  }

  /** Starts a sale and resolves to it as the API first shows it. */
  async startSale(extra: object = {}): Promise<Json> {
    const answer = await this.api('POST', '/sales', this.saleOf(extra), { key: randomUUID() });
    if (answer.status !== 202) {
      throw new Error(`POST /sales answered ${answer.status}: ${answer.text}`);
    }
    return answer.body;
  }

  /** Advances the time until the resource is final, or under a review that may still resolve itself. */
  async final(path: string, seconds = 45): Promise<Json> {
    const isInReview = ({ status, additionalCharge }: Json) =>
      status === 'needs_review' || additionalCharge?.status === 'needs_review';
    return this.until(path, (resource) => resource.final || isInReview(resource), seconds);
  }

  /** Advances the time, at most so many seconds, until the resource is as expected. */
  async until(path: string, reached: (resource: Json) => boolean, seconds = 45): Promise<Json> {
    for (let second = 0; ; second++) {
      const { body } = await this.api('GET', path);
      if (reached(body)) {
        return body;
      }
      if (second === seconds) {
        throw new Error(`${path} stayed ${body.status}: ${JSON.stringify(body)}`);
      }
      await this.pass(1);
    }
  }

  async sell(extra: object = {}): Promise<Json> {
    const { saleId } = await this.startSale(extra);
    return this.final(`/sales/${saleId}`);
  }

  /** Creates an RF order and resolves to it, pending and with its code. */
  async orderRf(extra: object = {}): Promise<Json> {
    const body = { merchantId: this.merchant.merchantId, amount: 5000, currency: 'EUR', ...extra };
    const answer = await this.api('POST', '/rf-orders', body, { key: randomUUID() });
    if (answer.status !== 201 && answer.status !== 202) {
      throw new Error(`POST /rf-orders answered ${answer.status}: ${answer.text}`);
    }
    return answer.status === 201
      ? answer.body
      : this.until(`/rf-orders/${answer.body.rfOrderId}`, ({ status }) => status === 'pending');
  }

  /** Does what the payer of an RF order does at a bank. */
  payRf({ rfCode, amount }: Json, paid = amount): Promise<Json> {
    return this.control('POST', '/_sim/bank/transfers', { rfCode, amount: paid });
  }

  /** Makes the platform lose every webhook of these types for this merchant. Only redelivery brings one. */
  async lose(...eventTypeIds: number[]): Promise<void> {
    for (const eventTypeId of eventTypeIds) {
      const match = { path: `/${this.merchant.merchantId}/${eventTypeId}` };
      await this.control('POST', '/_sim/faults', { name: 'lost_webhook', match, times: null });
    }
  }

  /** Advances the time of both sides, and resolves once everything due is done. */
  async pass(seconds: number): Promise<void> {
    await this.control('POST', '/_sim/clock', { advanceSeconds: seconds });
  }

  /** Lets the function die in its next invocations after that many calls. */
  async kill(functionName: string, afterCall: number, times = 1): Promise<void> {
    await this.control('POST', `/_cloud/functions/${functionName}/faults`, { kind: 'kill', afterCall, times });
  }

  /** How often the function was killed since the last reset. */
  async deaths(functionName: string): Promise<number> {
    const { lines } = await this.control('GET', '/_cloud/logs');
    return lines.filter((line: Json) => line.functionName.endsWith(functionName) && isDeath(line)).length;
  }

  async items(): Promise<Json[]> {
    return (await this.control('GET', '/_cloud/tables/payments')).items;
  }

  async inboxes(): Promise<Json[]> {
    return (await this.items()).filter(({ pk }) => pk.startsWith('inbox#'));
  }

  /** What a forger would want to change: no webhooks, no bookkeeping of the account, no due times. */
  async facts(): Promise<Json[]> {
    return (await this.items())
      .filter(({ pk }) => !/^(inbox|account)#/.test(pk))
      .map(({ reads: _, dueAt: __, writeId: ___, timeline: ____, ...fact }) => fact)
      .toSorted((a, b) => (a.pk < b.pk ? -1 : 1));
  }

  /** The number of platform calls so far that only read. */
  async reads(): Promise<Json[]> {
    return (await this.requests('')).filter(({ method, host }) => method === 'GET' && host !== 'auth');
  }

  /** Ledger entries whose reference contains the id. */
  async ledger(id: string): Promise<Json[]> {
    const { entries } = await this.control('GET', '/_sim/ledger');
    return entries.filter(({ merchantTrns }: Json) => merchantTrns?.includes(id));
  }

  async requests(path: string): Promise<Json[]> {
    return (await this.control('GET', `/_sim/requests?path=${encodeURIComponent(path)}`)).requests;
  }
}

function isDeath({ message }: Json): boolean {
  return message.errorType === 'Runtime.ExitError';
}

async function send(url: string, init: RequestInit): Promise<Answer> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  const json = text !== '' && (answer.headers.get('content-type') ?? '').includes('json');
  return { status: answer.status, headers: answer.headers, text, body: json ? JSON.parse(text) : undefined };
}
