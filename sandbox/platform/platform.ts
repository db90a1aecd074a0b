/**
 * The simulator of the payments platform: three origins, a ledger that is the ground truth of every test, and a control
 * API. It shares no code with the client it is there to test.
 */
import type { Hono } from 'hono';
import type { Clock } from '../clock.ts';
import { type Issuer, type IssuerClient, startIssuer } from '../issuer.ts';
import { Accounts, type Isv, type SandboxMerchant } from './accounts.ts';
import { answer, Refusal } from './answers.ts';
import { challengeRoutes } from './challenge.ts';
import { controlRoutes } from './control/control.ts';
import { type Endpoints, exchange } from './exchange.ts';
import { Faults } from './faults.ts';
import { Random } from './random.ts';
import { ISV_EVENT_TYPES, MERCHANT_EVENT_TYPES, Recipients } from './recipients.ts';
import { type Host, Requests } from './requests.ts';
import { acquiringRoutes } from './routes/acquiring.ts';
import { ecrRoutes } from './routes/ecr.ts';
import { legacyRoutes } from './routes/legacy.ts';
import { legacyOrderRoutes } from './routes/legacy-orders.ts';
import { nativeRoutes } from './routes/native.ts';
import { orderRoutes } from './routes/orders.ts';
import { paymentSessionRoutes } from './routes/payment-sessions.ts';
import { newRoutes, type Routes } from './routes/routes.ts';
import { transactionRoutes } from './routes/transactions.ts';
import { isvWebhookRoutes, merchantWebhookRoutes } from './routes/webhook-settings.ts';
import { listen } from './server.ts';
import { Books, type Simulator, type Urls } from './simulator.ts';
import { Switches } from './switches.ts';
import { Terminals } from './terminals.ts';

export interface PlatformOptions {
  readonly clock: Clock;
  readonly seed: number;
  readonly ports?: { readonly auth?: number; readonly api?: number; readonly base?: number };
  /** Runs after the books were cleared by POST /_sim/reset. */
  readonly onReset?: () => Promise<void>;
}

export interface Platform {
  readonly urls: Urls;
  readonly merchants: readonly SandboxMerchant[];
  readonly isv: Pick<Isv, 'clientId' | 'clientSecret' | 'resellerId' | 'resellerApiKey'>;
  /** Where a merchant, or `isv`, receives webhooks: all events it can have. */
  setWebhookUrl(recipient: string, url: string): void;
  /** Every /_sim route. */
  readonly control: Hono;
  close(): Promise<void>;
}

/** Rejects when a port is taken. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { clock, seed, ports = {}, onReset = async () => {} } = options;
  const accounts = new Accounts(seed, clock);
  const random = new Random(seed + 1);
  const endpoints: Partial<Record<Host, Endpoints>> = {};
  let sim: Simulator | undefined;
  const open = (host: Host) =>
    listen(ports[host] ?? 0, async (request, signal) => {
      const found = endpoints[host];
      return sim && found && exchange(sim, host, found, request, signal);
    });
  const [auth, api, base] = await Promise.all([open('auth'), open('api'), open('base')]);
  const issuer = await identityServer(clock, accounts, auth.url);
  const started: Simulator = {
    clock,
    seed,
    random,
    accounts,
    terminals: new Terminals(accounts.all),
    switches: new Switches(),
    faults: new Faults(() => started.random),
    requests: new Requests(),
    issuer,
    urls: { authUrl: auth.url, apiUrl: api.url, baseUrl: base.url },
    recipients: new Recipients(),
    books: new Books(),
    early: [],
  };
  sim = started;
  endpoints.auth = (request) => relay(issuer, request);
  endpoints.api = hostOf(
    ecrRoutes(sim),
    acquiringRoutes(sim),
    nativeRoutes(sim),
    transactionRoutes(sim),
    orderRoutes(sim),
    isvWebhookRoutes(sim),
  );
  endpoints.base = hostOf(
    legacyRoutes(sim),
    legacyOrderRoutes(sim),
    paymentSessionRoutes(sim),
    merchantWebhookRoutes(sim),
    challengeRoutes(sim),
  );
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
      started.recipients.register(recipient, url, recipient === 'isv' ? ISV_EVENT_TYPES : MERCHANT_EVENT_TYPES, false);
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

/** The identity server listens behind its origin, so that faults and log see its requests, too. */
async function relay(issuer: Issuer, request: Request): Promise<Response> {
  const { pathname, search, host } = new URL(request.url);
  const headers = new Headers(request.headers);
  for (const name of ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'accept-encoding']) {
    headers.delete(name);
  }
  headers.set('X-Forwarded-Host', host);
  headers.set('X-Forwarded-Proto', 'http');
  const body = request.method === 'GET' || request.method === 'HEAD' ? null : await request.text();
  const response = await fetch(`${issuer.localUrl}${pathname}${search}`, {
    method: request.method,
    headers,
    body,
    redirect: 'manual',
  });
  const { status } = response;
  const kept = [...response.headers].filter(
    ([name]) => !['connection', 'keep-alive', 'transfer-encoding', 'content-length'].includes(name),
  );
  return new Response(status === 204 || status === 304 ? null : await response.arrayBuffer(), {
    status,
    headers: kept,
  });
}

function hostOf(...parts: Routes[]): Endpoints {
  const app = newRoutes();
  for (const part of parts) {
    app.route('/', part);
  }
  app.notFound(() => answer(undefined, { status: 404 }));
  app.onError((error) => {
    if (error instanceof Refusal) {
      return error.response;
    }
    throw error;
  });
  return (request, env) => app.fetch(request, env);
}
