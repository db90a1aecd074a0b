/** The synthesized stack, loaded once for all worlds of a process. */
import type { Synthesized } from '../../infra/synthesize.ts';
import { type FunctionDefinition, functionDefinitions } from '../../sandbox/cloud/functions/definition.ts';
import type { StateMachineDefinition } from '../../sandbox/cloud/seams.ts';
import { loadStack, type Stack } from '../../sandbox/cloud/template.ts';

export interface Deployed {
  readonly stack: Stack;
  readonly definitions: readonly FunctionDefinition[];
  readonly machines: readonly StateMachineDefinition[];
}

export function loadDeployed(synthesized: Synthesized): Deployed {
  const stack = loadStack({
    ...synthesized,
    parameters: {
      PlatformAuthUrl: 'http://auth.viva',
      PlatformApiUrl: 'http://api.viva',
      PlatformBaseUrl: 'http://base.viva',
      OidcIssuer: 'http://issuer',
      OidcAudience: 'tillflow',
    },
  });
  return { stack, definitions: functionDefinitions(stack), machines: machinesOf(stack) };
}

function machinesOf(stack: Stack): StateMachineDefinition[] {
  return [...stack.ofType('AWS::StepFunctions::StateMachine')].map(([logicalId, { properties }]) => ({
    arn: stack.ref(logicalId),
    name: stack.attribute(logicalId, 'Name'),
    roleArn: String(properties['RoleArn']),
    definition: JSON.parse(String(properties['DefinitionString'])) as object,
    type: 'STANDARD',
  }));
}
