/** The storefronts of the sandbox, and the issuer of their access tokens; any OpenID Connect issuer would do. */
import { randomBytes } from 'node:crypto';
import { scopes as apiScopes } from '../shared/api/routes.ts';
import type { Clock } from './clock.ts';
import { type Issuer, startIssuer } from './issuer.ts';

export const STOREFRONT_AUDIENCE = 'tillflow';

export interface Storefront {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly merchantIds: readonly string[];
  readonly scopes: readonly string[];
}

export interface Storefronts {
  readonly issuer: Issuer;
  /** May act for every merchant. */
  readonly all: Storefront;
  /** One per merchant. */
  readonly single: readonly Storefront[];
  /** Returns a fresh access token with everything that the client may do. */
  accessToken(storefront: Storefront): Promise<string>;
}

export async function startStorefronts(clock: Clock, merchantIds: readonly string[]): Promise<Storefronts> {
  const all = storefront('storefront', merchantIds, ['merchants/all']);
  const single = merchantIds.map((id, index) => storefront(`storefront-${index + 1}`, [id], [`merchants/${id}`]));
  const clients = new Map([all, ...single].map((one) => [one.clientId, one]));
  const issuer = await startIssuer({
    clock,
    port: 0,
    scopes: [...new Set([...clients.values()].flatMap(({ scopes }) => scopes))],
    findClient: (clientId) => {
      const client = clients.get(clientId);
      return (
        client && {
          clientId,
          scopes: client.scopes,
          audience: STOREFRONT_AUDIENCE,
          claims: { client_id: clientId },
          accepts: (secret) => secret === client.clientSecret,
        }
      );
    },
  });
  return { issuer, all, single, accessToken: (client) => requestToken(issuer.url, client) };
}

function storefront(clientId: string, merchantIds: readonly string[], merchantScopes: readonly string[]): Storefront {
  const clientSecret = `CANARY-${randomBytes(18).toString('base64url')}`;
  return { clientId, clientSecret, merchantIds, scopes: [...apiScopes, ...merchantScopes] };
}

async function requestToken(issuerUrl: string, { clientId, clientSecret }: Storefront): Promise<string> {
  const answer = await fetch(`${issuerUrl}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!answer.ok) {
    throw new Error(`the storefront issuer refused its own client: ${answer.status}`);
  }
  return ((await answer.json()) as { access_token: string }).access_token;
}
