/** The simulator of the platform in memory: its endpoints with their faults, without ports and without an identity server. */
import { Clock } from '../../sandbox/clock.ts';
import type { Issuer } from '../../sandbox/issuer.ts';
import { type Account, Accounts } from '../../sandbox/viva/books/accounts.ts';
import { exchange } from '../../sandbox/viva/http/exchange.ts';
import { type FaultRequest, Faults } from '../../sandbox/viva/http/faults.ts';
import { apiRoutes, baseRoutes, endpointsOf } from '../../sandbox/viva/http/hosts.ts';
import { Requests } from '../../sandbox/viva/http/requests.ts';
import { Random } from '../../sandbox/viva/random.ts';
import { Books, type Simulator } from '../../sandbox/viva/simulator.ts';
import { Switches } from '../../sandbox/viva/switches.ts';
import { Terminals } from '../../sandbox/viva/terminals/terminals.ts';
import { Recipients } from '../../sandbox/viva/webhooks/recipients.ts';

export interface Answer {
  /** Null when the connection ended without an answer. */
  readonly status: number | null;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as the tests need them
  readonly body: any;
}

export class FakeSimulator {
  readonly clock = new Clock();
  readonly sim: Simulator;
  readonly account: Account;
  readonly #hosts;

  constructor() {
    const accounts = new Accounts(7, this.clock);
    const issuer = { issued: (clientId: string) => ({ clientId, expiresAtMs: Number.POSITIVE_INFINITY }) };
    this.account = accounts.all[0]!;
    this.sim = {
      clock: this.clock,
      seed: 7,
      random: new Random(8),
      accounts,
      terminals: new Terminals(accounts.all),
      switches: new Switches(),
      faults: new Faults(() => this.sim.random),
      requests: new Requests(),
      issuer: issuer as unknown as Issuer,
      urls: { authUrl: 'http://auth', apiUrl: 'http://api', baseUrl: 'http://base' },
      recipients: new Recipients(),
      fetch: (input, init) => globalThis.fetch(input, init),
      books: new Books(),
      early: [],
    };
    this.#hosts = { api: endpointsOf(apiRoutes(this.sim)), base: endpointsOf(baseRoutes(this.sim)) };
  }

  fault(name: FaultRequest['name'], more: Partial<FaultRequest> = {}) {
    return this.sim.faults.add({ name, times: 1, ...more });
  }

  /** Calls with the merchant's API key. */
  base(method: string, path: string, body?: object): Promise<Answer> {
    const { merchantId, credentials } = this.account;
    return this.#call('base', method, path, `Basic ${btoa(`${merchantId}:${credentials.apiKey}`)}`, body);
  }

  /** Calls with the client of a credential set; its id is its access token. */
  api(method: string, path: string, set: 'pos' | 'smartCheckout' | 'native', body?: object): Promise<Answer> {
    return this.#call('api', method, path, `Bearer ${this.account.credentials[set].clientId}`, body);
  }

  /** Calls with the ISV's own client. */
  asIsv(method: string, path: string, body?: object): Promise<Answer> {
    return this.#call('api', method, path, `Bearer ${this.sim.accounts.isv.clientId}`, body);
  }

  async #call(
    host: 'api' | 'base',
    method: string,
    path: string,
    Authorization: string,
    body?: object,
  ): Promise<Answer> {
    const request = new Request(`http://${host}${path}`, {
      method,
      headers: { Authorization, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await exchange(this.sim, host, this.#hosts[host], request, new AbortController().signal);
    const text = (await answer?.text()) ?? '';
    return { status: answer?.status ?? null, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
  }
}
