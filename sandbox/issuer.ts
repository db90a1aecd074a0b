/**
 * An OpenID Connect issuer for machines: the platform's identity server, and the issuer of the storefronts' tokens. It
 * records what it issued, so that a token can be revoked before its end, as on the platform.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { Clock } from './clock.ts';
import { FOREIGN_CALLER, isByLoopbackName } from './own-callers.ts';

export interface IssuerClient {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly audience: string;
  readonly claims: Readonly<Record<string, unknown>>;
  accepts(secret: string): boolean;
}

interface IssuerOptions {
  readonly clock: Clock;
  /** 0 for any free port. */
  readonly port: number;
  /** Where clients reach it, when that is not where it listens. */
  readonly publicUrl?: string;
  readonly scopes: readonly string[];
  findClient(clientId: string): IssuerClient | undefined;
}

interface IssuedToken {
  readonly clientId: string;
  readonly expiresAtMs: number;
}

export interface Issuer {
  readonly url: string;
  /** Where it listens. */
  readonly localUrl: string;
  /** Undefined for a token that is unknown, expired or revoked. */
  issued(accessToken: string): IssuedToken | undefined;
  revoke(matches: (clientId: string) => boolean): void;
  close(): Promise<void>;
}

const TOKEN_SECONDS = 3600;
const API = 'urn:tillflow:sandbox:api';

export async function startIssuer(options: IssuerOptions): Promise<Issuer> {
  const server = await listen(options.port);
  const localUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tokens = new Map<string, IssuedToken>();
  const provider = await createProvider(options.publicUrl ?? localUrl, options, tokens);
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (isByLoopbackName(request.headers)) {
      void answer(request, response);
    } else {
      response.writeHead(403, { 'Content-Type': 'text/plain' }).end(FOREIGN_CALLER);
    }
  });
  return {
    url: options.publicUrl ?? localUrl,
    localUrl,
    issued: (accessToken) => {
      const token = tokens.get(accessToken);
      return token !== undefined && token.expiresAtMs > options.clock.now() ? token : undefined;
    },
    revoke: (matches) => {
      for (const [accessToken, { clientId }] of tokens) {
        if (matches(clientId)) {
          tokens.delete(accessToken);
        }
      }
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function dropExpired(tokens: Map<string, IssuedToken>, nowMs: number): void {
  for (const [accessToken, { expiresAtMs }] of tokens) {
    if (expiresAtMs <= nowMs) {
      tokens.delete(accessToken);
    }
  }
}

async function createProvider(issuer: string, options: IssuerOptions, tokens: Map<string, IssuedToken>) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    adapter: (name) => new ClientsOnly(name, options),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'sandbox' }] },
    cookies: { keys: ['sandbox'] },
    routes: { token: '/connect/token', authorization: '/connect/authorize' },
    scopes: [...options.scopes],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    pkce: { required: () => true },
    ttl: { ClientCredentials: TOKEN_SECONDS },
    findAccount: () => undefined,
    renderError: (ctx, out) => {
      ctx.type = 'text/plain';
      ctx.body = out.error;
    },
    extraTokenClaims: (_ctx, token) => ({ canary: 'CANARY', ...options.findClient(token.clientId ?? '')?.claims }),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => API,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, _resource, client) => ({
          scope: options.scopes.join(' '),
          audience: options.findClient(client.clientId)?.audience ?? issuer,
          accessTokenTTL: TOKEN_SECONDS,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  provider.proxy = options.publicUrl !== undefined;
  provider.Client.prototype['compareClientSecret'] = async function (this: { clientId: string }, secret: string) {
    return options.findClient(this.clientId)?.accepts(secret) === true;
  };
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path !== '/connect/token') {
      return;
    }
    if (ctx.status === 401) {
      // The platform answers 400 to an unknown client, without a challenge.
      ctx.status = 400;
      ctx.remove('WWW-Authenticate');
    }
    const body = ctx.body as { access_token?: string } | undefined;
    if (ctx.status === 200 && body?.access_token !== undefined) {
      const clientId = ctx['oidc'].client.clientId as string;
      dropExpired(tokens, options.clock.now());
      tokens.set(body.access_token, { clientId, expiresAtMs: options.clock.now() + TOKEN_SECONDS * 1000 });
    }
  });
  grantScopes(provider, options);
  return provider;
}

/** A request without `scope` gets everything that the client may have; one with another scope gets nothing. */
function grantScopes(provider: Provider, { findClient }: IssuerOptions): void {
  const { ClientCredentials } = provider;
  const save = ClientCredentials.prototype.save;
  ClientCredentials.prototype.save = function (...args) {
    const allowed = findClient(this.clientId ?? '')?.scopes ?? [];
    const asked = Provider.ctx?.oidc.body?.['scope'];
    const scopes = typeof asked === 'string' && asked !== '' ? asked.split(' ') : allowed;
    if (scopes.some((scope) => !allowed.includes(scope))) {
      throw new errors.InvalidScope('requested scope is not allowed', String(asked));
    }
    this.scope = scopes.join(' ');
    return save.apply(this, args);
  };
}

/** Clients are read from the caller each time, so that a rotated secret counts at once; nothing else is stored. */
class ClientsOnly implements Adapter {
  readonly #name: string;
  readonly #options: IssuerOptions;

  constructor(name: string, options: IssuerOptions) {
    this.#name = name;
    this.#options = options;
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const client = this.#name === 'Client' ? this.#options.findClient(id) : undefined;
    return (
      client && {
        client_id: client.clientId,
        client_secret: 'compared by the issuer itself',
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
        scope: client.scopes.join(' '),
      }
    );
  }

  async upsert(): Promise<undefined> {}
  async consume(): Promise<undefined> {}
  async destroy(): Promise<undefined> {}
  async revokeByGrantId(): Promise<undefined> {}
  async findByUid(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}
}

function listen(port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
