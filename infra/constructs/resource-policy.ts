/**
 * The API's resource policy. The storefront's paths are open to everybody, because the authorizer decides. In an
 * environment that enforces it, everything else is open only to the addresses that webhooks come from.
 *
 * It lists what is open (`NotResource`), not what is closed, so another spelling of a path, such as `/%77ebhooks`, is
 * not open. For callers of the API's own account an Allow here or from the authorizer is enough, so the authorizer
 * denies what a token does not allow; a Deny of either side wins.
 */
import { Aws } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { openRoutes, routes } from '../../shared/api/routes.ts';
import type { Environment } from '../environments.ts';

/** All methods of a REST API: methods that a path does not allow are answered as well. */
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
 * Everything under the first part of each path, written in full, because API Gateway expands the short form in
 * `Resource` only. The API cannot refer to its own id here.
 */
function arnsOf(open: readonly { readonly path: string }[], stageName: string): string[] {
  const roots = new Set(open.map(({ path }) => path.split('/')[1]));
  return [...roots].flatMap((root) =>
    METHODS.map((method) => `arn:${Aws.PARTITION}:execute-api:*:*:*/${stageName}/${method}/${root}*`),
  );
}
