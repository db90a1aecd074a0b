/** The synthesized stack, loaded once for all worlds of a process. */
import type { Synthesized } from '../../infra/synthesize.ts';
import { type FunctionDefinition, functionDefinitions } from '../../sandbox/cloud/functions/definition.ts';
import type { StateMachineDefinition } from '../../sandbox/cloud/seams.ts';
import { stateMachines } from '../../sandbox/cloud/states/machines.ts';
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
  return { stack, definitions: functionDefinitions(stack), machines: stateMachines(stack) };
}
