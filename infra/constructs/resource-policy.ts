/**
 * The API's resource policy: the paths of the storefront are open to everybody, for the authorizer to decide on; whatever
 * is none of them is open, where the environment enforces that, only to the addresses that webhooks come from.
 *
 * It names what is open and not what is closed (`NotResource`): another way to write a path, such as `/%77ebhooks`, is
 * not one of those. Callers of the API's own account need an Allow here or from the authorizer and not both, so the
 * authorizer denies what a token does not allow, and a Deny of either side wins.
 */
import { Aws } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { openRoutes, routes } from '../../shared/api/routes.ts';
import type { Environment } from '../environments.ts';

/** All that a REST API takes: methods that a path does not know are answered, too. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function resourcePolicy({ webhooks }: Environment, stageName: string): PolicyDocument {
  const invoke = { principals: [new AnyPrincipal()], actions: ['execute-api:Invoke'] };
  const enforced = webhooks.mode === 'enforce';
  const open = enforced ? routes : [...routes, ...openRoutes];
  return new PolicyDocument({
    statements: [
      new PolicyStatement({ ...invoke, effect: Effect.ALLOW, resources: ['execute-api:/*'] }),
      new PolicyStatement({
        ...invoke,
        effect: Effect.DENY,
        notResources: arnsOf(open, stageName),
        ...(enforced && { conditions: { NotIpAddress: { 'aws:SourceIp': [...webhooks.sources] } } }),
      }),
    ],
  });
}

/**
 * Everything under the first part of each path. In full: API Gateway is documented to expand the short form in `Resource`
 * only. The API cannot name its own id here.
 */
function arnsOf(open: readonly { readonly path: string }[], stageName: string): string[] {
  const roots = new Set(open.map(({ path }) => path.split('/')[1]));
  return [...roots].flatMap((root) =>
    METHODS.map((method) => `arn:${Aws.PARTITION}:execute-api:*:*:*/${stageName}/${method}/${root}*`),
  );
}
