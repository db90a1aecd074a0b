/**
 * The issuer of the storefronts' access tokens: the merchant's own OpenID Connect issuer, given as a parameter, or a
 * user pool of the stack that contains machine clients and no users. An operator adds a client per storefront
 * (docs/operations.md).
 */
import { Aws, CfnOutput, CfnParameter, Fn, type Stack } from 'aws-cdk-lib';
import { ResourceServerScope, UserPool } from 'aws-cdk-lib/aws-cognito';
import { scopes } from '../../shared/api/routes.ts';
import { acknowledge } from '../acknowledge.ts';
import type { CognitoIssuer, Environment, OwnIssuer } from '../environments.ts';

export interface StorefrontIssuer {
  readonly url: string;
  /** Empty: not checked. */
  readonly audience: string;
}

export function storefrontIssuer(stack: Stack, environment: Environment): StorefrontIssuer {
  const { issuer } = environment;
  return issuer.kind === 'own' ? ownIssuer(stack, issuer) : userPool(stack, environment, issuer);
}

function ownIssuer(stack: Stack, { url, audience }: OwnIssuer): StorefrontIssuer {
  const parameter = (id: string, description: string, value: string) =>
    new CfnParameter(stack, id, { description, default: value }).valueAsString;
  return {
    url: parameter('OidcIssuer', 'Issuer of the storefronts’ access tokens', url),
    audience: parameter('OidcAudience', 'Audience that the access tokens must name; empty: not checked', audience),
  };
}

/** Tokens of machine clients name no audience; the API checks its own scopes instead. */
function userPool(stack: Stack, { name, data }: Environment, { merchantIds }: CognitoIssuer): StorefrontIssuer {
  const pool = new UserPool(stack, 'Storefronts', {
    userPoolName: `tillflow-${name}`,
    selfSignUpEnabled: false,
    deletionProtection: data.deletionProtection,
    removalPolicy: data.removalPolicy,
  });
  for (const [id, finding] of Object.entries({
    COG1: 'password policy',
    COG2: 'multi-factor authentication',
    COG8: 'Plus feature plan',
  })) {
    acknowledge(
      pool,
      `AwsSolutions-${id}`,
      `No user can exist in this pool, only machine clients, so it has no ${finding}.`,
    );
  }
  for (const [resource, names] of resourceServers(merchantIds)) {
    pool.addResourceServer(resource, {
      identifier: resource,
      scopes: names.map(
        (scopeName) => new ResourceServerScope({ scopeName, scopeDescription: `${resource}/${scopeName}` }),
      ),
    });
  }
  // The id of the stack ends with a UUID, because domains are unique in a region across all accounts.
  const unique = Fn.select(2, Fn.split('/', Aws.STACK_ID));
  const domain = pool.addDomain('Domain', { cognitoDomain: { domainPrefix: `tillflow-${name}-${unique}` } });
  new CfnOutput(stack, 'UserPoolId', { value: pool.userPoolId });
  new CfnOutput(stack, 'TokenEndpoint', { value: `${domain.baseUrl()}/oauth2/token` });
  return { url: pool.userPoolProviderUrl, audience: '' };
}

/** Cognito writes a scope as resource server, slash and name, like the API. */
function resourceServers(merchantIds: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const all = [...scopes, 'merchants/all', ...merchantIds.map((id) => `merchants/${id}`)];
  return new Map(
    Object.entries(Object.groupBy(all, (scope) => scope.split('/')[0] as string)).map(([resource, members = []]) => [
      resource,
      members.map((scope) => scope.slice(resource.length + 1)),
    ]),
  );
}
