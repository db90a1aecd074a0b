/**
 * The simulator of the platform without ports: its real endpoints, books and control API, and an identity server that
 * issues plain tokens. They carry a mark, so that a scan finds a token where none may be.
 */
import type { Hono } from 'hono';
import type { Issuer } from '../../sandbox/issuer.ts';
import { Accounts } from '../../sandbox/viva/books/accounts.ts';
import { controlRoutes } from '../../sandbox/viva/control/control.ts';
import { type Endpoints, exchange } from '../../sandbox/viva/http/exchange.ts';
import { Faults } from '../../sandbox/viva/http/faults.ts';
import { apiRoutes, baseRoutes, endpointsOf } from '../../sandbox/viva/http/hosts.ts';
import { type Host, Requests } from '../../sandbox/viva/http/requests.ts';
import { Random } from '../../sandbox/viva/random.ts';
import { Books, type Simulator } from '../../sandbox/viva/simulator.ts';
import { Switches } from '../../sandbox/viva/switches.ts';
import { Terminals } from '../../sandbox/viva/terminals/terminals.ts';
import { Recipients } from '../../sandbox/viva/webhooks/recipients.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface Platform {
  readonly sim: Simulator;
  readonly control: Hono;
  /** Rejects as `fetch` does when the connection ends without an answer, or the caller's time is over. */
  fetch(url: URL, init: RequestInit): Promise<Response>;
}

const HOSTS: Readonly<Record<string, Host>> = { 'auth.viva': 'auth', 'api.viva': 'api', 'base.viva': 'base' };
const TOKEN_SECONDS = 3_600;

interface PlatformOptions {
  readonly clock: VirtualClock;
  readonly seed: number;
  /** How webhooks are sent. */
  readonly fetch: typeof globalThis.fetch;
  /** Runs after the books were cleared. */
  readonly onReset: () => Promise<void>;
}

export function createPlatform({ clock, seed, fetch, onReset }: PlatformOptions): Platform {
  const accounts = new Accounts(seed, clock);
  const tokens = new Map<string, { readonly clientId: string; readonly expiresAtMs: number }>();
  const sim: Simulator = {
    clock,
    seed,
    random: new Random(seed + 1),
    accounts,
    terminals: new Terminals(accounts.all),
    switches: new Switches(),
    faults: new Faults(() => sim.random),
    requests: new Requests(),
    issuer: {
      issued: (token: string) => {
        const known = tokens.get(token);
        return known !== undefined && known.expiresAtMs > clock.now() ? known : undefined;
      },
      revoke: (matches: (clientId: string) => boolean) => {
        for (const [token, { clientId }] of [...tokens]) {
          if (matches(clientId)) {
            tokens.delete(token);
          }
        }
      },
    } as unknown as Issuer,
    urls: { authUrl: 'http://auth.viva', apiUrl: 'http://api.viva', baseUrl: 'http://base.viva' },
    recipients: new Recipients(),
    fetch,
    books: new Books(),
    early: [],
  };

  async function issue(request: Request): Promise<Response> {
    const [clientId = '', secret = ''] = atob((request.headers.get('authorization') ?? '').slice('Basic '.length))
      .split(':')
      .map(decodeURIComponent);
    const known = accounts.clientOf(clientId);
    if (known === undefined || !accounts.accepts(clientId, secret, known.client.clientSecret)) {
      return Response.json({ error: 'invalid_client' }, { status: 401 });
    }
    const token = `eyJCANARY${sim.random.alphanumeric(40)}`;
    tokens.set(token, { clientId, expiresAtMs: clock.now() + TOKEN_SECONDS * 1000 });
    const scope = accounts.scopesOf(known.set, known.account).join(' ');
    return Response.json({ access_token: token, expires_in: TOKEN_SECONDS, token_type: 'Bearer', scope });
  }

  const endpoints: Readonly<Record<Host, Endpoints>> = {
    auth: issue,
    api: endpointsOf(apiRoutes(sim)),
    base: endpointsOf(baseRoutes(sim)),
  };

  return {
    sim,
    control: controlRoutes(sim, onReset),
    async fetch(url, init) {
      const host = HOSTS[url.host];
      if (host === undefined) {
        throw new TypeError('fetch failed', {
          cause: Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
        });
      }
      const { signal, ...request } = init;
      const answer = exchange(sim, host, endpoints[host], new Request(url, request), signal ?? never);
      const response = await unlessAborted(answer, signal);
      if (response === undefined) {
        throw new TypeError('fetch failed', {
          cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
        });
      }
      return response;
    },
  };
}

const never = new AbortController().signal;

/** Rejects with the reason of the signal when it aborts first. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) {
    return work;
  }
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
