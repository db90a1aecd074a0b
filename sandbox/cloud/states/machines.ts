/** The state machines of the stack, and what EventBridge is told about their executions. */
import type { ExecutionDescription, StateMachineDefinition } from '../seams.ts';
import type { Stack } from '../template.ts';

export function stateMachines(stack: Stack): StateMachineDefinition[] {
  return [...stack.ofType('AWS::StepFunctions::StateMachine')].map(([logicalId, { properties }]) => ({
    arn: stack.ref(logicalId),
    name: stack.attribute(logicalId, 'Name'),
    roleArn: String(properties['RoleArn']),
    definition: JSON.parse(String(properties['DefinitionString'])) as object,
    type: properties['StateMachineType'] === 'EXPRESS' ? 'EXPRESS' : 'STANDARD',
  }));
}

export function statusChange(execution: ExecutionDescription) {
  return {
    source: 'aws.states',
    detailType: 'Step Functions Execution Status Change',
    detail: execution,
    resources: [execution.executionArn],
  };
}
