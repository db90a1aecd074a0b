/**
 * The one request to the identity server: client credentials for an access token (docs/viva.md, "Access tokens"). It
 * moves no money, so after a failure that says nothing about the credentials it may be sent again.
 */
import * as oauth from 'oauth4webapi';
import { FaultError, TransientError } from '../flow/errors.ts';
import type { ClientCredential } from './credentials.ts';
import { type Answer, exchange, type Http } from './http.ts';

export interface IssuedToken {
  readonly token: string;
  readonly expiresInSeconds: number;
}

/** Undefined if the identity server refuses the client. */
export async function requestAccessToken(
  http: Http,
  authUrl: string,
  { clientId, clientSecret }: ClientCredential,
  timeoutMs: number,
): Promise<IssuedToken | undefined> {
  const server = { issuer: authUrl, token_endpoint: `${authUrl}/connect/token` };
  const client = { client_id: clientId };
  // The platform takes id and secret unchanged. They are not form-encoded first.
  const basic: oauth.ClientAuth = (_server, _client, _body, headers) => {
    headers.set('authorization', `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`);
  };
  const response = await oauth.clientCredentialsGrantRequest(server, client, basic, new URLSearchParams(), {
    // The address and its scheme are settings of the deployment.
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: async (url, { method, headers, body }) => {
      const { status, text } = await post(http, { method, url, headers, body: String(body), timeoutMs });
      return new Response(text === '' ? null : text, { status, headers: { 'content-type': 'application/json' } });
    },
  });
  try {
    const issued = await oauth.processClientCredentialsResponse(server, client, response);
    return { token: issued.access_token, expiresInSeconds: lifetime(issued.expires_in) };
  } catch (error) {
    // It is not the cause of our error, because the library's errors contain the body.
    return refused(error, response.status);
  }
}

type TokenPost = Omit<Parameters<typeof exchange>[1], 'call'>;

async function post(http: Http, request: TokenPost): Promise<Answer> {
  const outcome = await exchange(http, { ...request, call: 'POST /connect/token' });
  if (outcome.kind !== 'answer') {
    throw unavailable(outcome.cause);
  }
  const { status } = outcome;
  if (status === 408 || status === 429 || status >= 500) {
    throw unavailable(status);
  }
  return outcome;
}

function refused(error: unknown, status: number): undefined {
  if (status === 200) {
    throw unavailable('UNREADABLE');
  }
  // mutant condition: the other errors have no field of that name
  const code = error instanceof oauth.ResponseBodyError ? error.error : undefined;
  if (status === 401 || code === 'invalid_client') {
    return undefined;
  }
  throw new FaultError('ACCESS_TOKEN_REFUSED', 'the identity server refuses the request', {
    context: {
      platformStatus: status,
      ...(code !== undefined && /^[a-z_]{1,40}$/.test(code) ? { platformCode: code } : {}),
    },
  });
}

function lifetime(expiresIn: number | undefined): number {
  if (expiresIn === undefined) {
    throw unavailable('UNREADABLE');
  }
  return expiresIn;
}

function unavailable(reason: string | number): TransientError {
  return new TransientError('IDENTITY_UNAVAILABLE', `no access token could be fetched (${reason})`);
}
