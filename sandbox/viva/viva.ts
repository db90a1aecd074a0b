/**
 * The simulator of the payments platform: three origins, a ledger that is the ground truth of every test, and a control
 * API. It shares no code with the client, so that it does not share its mistakes.
 */
import type { Hono } from 'hono';
import type { Clock } from '../clock.ts';
import { type Issuer, type IssuerClient, startIssuer } from '../issuer.ts';
import { Accounts, type Isv, type SandboxMerchant } from './books/accounts.ts';
import { controlRoutes } from './control/control.ts';
import { type Endpoints, exchange } from './http/exchange.ts';
import { Faults } from './http/faults.ts';
import { apiRoutes, baseRoutes, endpointsOf, relay } from './http/hosts.ts';
import { type Host, Requests } from './http/requests.ts';
import { type Answer, listen } from './http/server.ts';
import { Random } from './random.ts';
import { Books, type Simulator, type Urls } from './simulator.ts';
import { Switches } from './switches.ts';
import { Terminals } from './terminals/terminals.ts';
import { ISV_WEBHOOK_TYPES, MERCHANT_WEBHOOK_TYPES, Recipients } from './webhooks/recipients.ts';

export interface PlatformOptions {
  readonly clock: Clock;
  readonly seed: number;
  readonly ports?: { readonly auth?: number; readonly api?: number; readonly base?: number };
  /** Runs after POST /_sim/reset has cleared the books. */
  readonly onReset?: () => Promise<void>;
}

export interface Platform {
  readonly urls: Urls;
  readonly merchants: readonly SandboxMerchant[];
  readonly isv: Pick<Isv, 'clientId' | 'clientSecret' | 'resellerId' | 'resellerApiKey'>;
  /** Registers the address at which a merchant, or `isv`, receives all webhooks that it can have. */
  setWebhookUrl(recipient: string, url: string): void;
  /** Every /_sim route. */
  readonly control: Hono;
  close(): Promise<void>;
}

/** Rejects when a port is in use. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { clock, seed, ports = {}, onReset = async () => {} } = options;
  const accounts = new Accounts(seed, clock);
  const random = new Random(seed + 1);
  // The handlers need the addresses, so the servers start first.
  const answers: Partial<Record<Host, Answer>> = {};
  const open = (host: Host) => listen(ports[host] ?? 0, async (request, signal) => answers[host]?.(request, signal));
  const [auth, api, base] = await Promise.all([open('auth'), open('api'), open('base')]);
  const issuer = await identityServer(clock, accounts, auth.url);
  const sim: Simulator = {
    clock,
    seed,
    random,
    accounts,
    terminals: new Terminals(accounts.all),
    switches: new Switches(),
    faults: new Faults(() => sim.random),
    requests: new Requests(),
    issuer,
    urls: { authUrl: auth.url, apiUrl: api.url, baseUrl: base.url },
    recipients: new Recipients(),
    fetch: globalThis.fetch,
    books: new Books(),
    early: [],
  };
  const answerAs =
    (host: Host, endpoints: Endpoints): Answer =>
    (request, signal) =>
      exchange(sim, host, endpoints, request, signal);
  answers.auth = answerAs('auth', (request) => relay(issuer, request));
  answers.api = answerAs('api', endpointsOf(apiRoutes(sim)));
  answers.base = answerAs('base', endpointsOf(baseRoutes(sim)));
  return {
    urls: sim.urls,
    merchants: accounts.all.map(({ merchantId, mode, country, industry, terminals, credentials }) => ({
      merchantId,
      mode,
      country,
      industry,
      terminals,
      credentials,
    })),
    get isv() {
      const { clientId, clientSecret, resellerId, resellerApiKey } = accounts.isv;
      return { clientId, clientSecret, resellerId, resellerApiKey };
    },
    setWebhookUrl: (recipient, url) => {
      sim.recipients.register(recipient, url, recipient === 'isv' ? ISV_WEBHOOK_TYPES : MERCHANT_WEBHOOK_TYPES);
    },
    control: controlRoutes(sim, onReset),
    close: async () => {
      await Promise.all([auth.close(), api.close(), base.close(), issuer.close()]);
    },
  };
}

function identityServer(clock: Clock, accounts: Accounts, publicUrl: string): Promise<Issuer> {
  const findClient = (clientId: string): IssuerClient | undefined => {
    const found = accounts.clientOf(clientId);
    return (
      found && {
        clientId,
        scopes: accounts.scopesOf(found.set, found.account),
        audience: found.set === 'pos' ? 'ecr_api' : 'core_api',
        claims: { client_person_id: (found.account ?? accounts.isv).personId },
        accepts: (secret) => accounts.accepts(clientId, secret, found.client.clientSecret),
      }
    );
  };
  const sets = ['pos', 'smartCheckout', 'native', 'isv'] as const;
  const scopes = [
    ...new Set(sets.flatMap((set) => accounts.all.flatMap((account) => accounts.scopesOf(set, account)))),
  ];
  return startIssuer({ clock, port: 0, publicUrl, scopes, findClient });
}
