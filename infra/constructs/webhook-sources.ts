/**
 * The API's resource policy: everybody may call everything that their access token allows, and webhooks come from the
 * platform's addresses only, where the environment enforces that.
 *
 * For callers of the API's own account an Allow here is enough whatever the authorizer leaves unsaid. So the authorizer
 * leaves nothing unsaid: it denies by name what a token does not allow, and a Deny of either side wins.
 */
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Environment } from '../environments.ts';

export function webhookSourcesOnly({ webhooks }: Environment): PolicyDocument {
  const invoke = { principals: [new AnyPrincipal()], actions: ['execute-api:Invoke'] };
  const document = new PolicyDocument({
    statements: [new PolicyStatement({ ...invoke, effect: Effect.ALLOW, resources: ['execute-api:/*'] })],
  });
  if (webhooks.mode === 'enforce') {
    document.addStatements(
      new PolicyStatement({
        ...invoke,
        effect: Effect.DENY,
        resources: ['execute-api:/*/*/webhooks/*'],
        conditions: { NotIpAddress: { 'aws:SourceIp': [...webhooks.sources] } },
      }),
    );
  }
  return document;
}
