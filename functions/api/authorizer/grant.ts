/** What an access token allows: a policy for the routes of its scopes, and the client and merchants it is for. */
import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { AuthorizerContext } from '../../../shared/api/request.ts';
import { type Route, routes } from '../../../shared/api/routes.ts';
import type { Claims } from './verify.ts';

const MERCHANTS = 'merchants/';

/**
 * The policy covers the whole API, because the gateway caches it per token and uses it for every method. Returns
 * undefined for a token that names no client or is not meant for an API.
 */
export function grantOf(claims: Claims, methodArn: string): APIGatewayAuthorizerResult | undefined {
  const client = [claims['client_id'], claims['azp'], claims['sub']].find((claim) => typeof claim === 'string');
  if (client === undefined || (claims['token_use'] ?? 'access') !== 'access') {
    return undefined;
  }
  const scopes = new Set([...words(claims['scope']), ...words(claims['scp'])]);
  const merchants = [...scopes]
    .filter((scope) => scope.startsWith(MERCHANTS))
    .map((scope) => scope.slice(MERCHANTS.length).toLowerCase());
  const context: AuthorizerContext = {
    client,
    issuer: String(claims['iss']),
    merchants: merchants.includes('all') ? 'all' : merchants.join(' '),
    scopes: [...scopes].filter((scope) => !scope.startsWith(MERCHANTS)).join(' '),
  };
  return { principalId: client, policyDocument: policy(scopes, methodArn), context: { ...context } };
}

/** The words of a text; some issuers send `scp` as a list. */
function words(claim: unknown): string[] {
  return [claim].flat().flatMap((value) => (typeof value === 'string' ? value.split(' ').filter(Boolean) : []));
}

/**
 * Denies whatever the token does not allow. The API's resource policy allows everybody, and only a Deny overrides that.
 * The Deny uses `NotResource`: a list of denied paths would miss other spellings, such as `/c%61rds`.
 */
function policy(scopes: ReadonlySet<string>, methodArn: string): APIGatewayAuthorizerResult['policyDocument'] {
  const [api, stage] = methodArn.split('/');
  const allowed = (routes as readonly Route[])
    .filter(({ scope }) => scopes.has(scope))
    .map(({ method, path }) => `${api}/${stage}/${method}${path.replaceAll(/\{\w+\}/g, '*')}`);
  const invoke = { Action: 'execute-api:Invoke' } as const;
  return {
    Version: '2012-10-17',
    Statement:
      allowed.length === 0 // a list in a policy must not be empty
        ? [{ ...invoke, Effect: 'Deny', Resource: '*' }]
        : [
            { ...invoke, Effect: 'Allow', Resource: allowed },
            { ...invoke, Effect: 'Deny', NotResource: allowed },
          ],
  };
}
