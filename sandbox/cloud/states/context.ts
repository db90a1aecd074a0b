/** The context object of a state: `$states.context`. */
import type { ExecutionDescription } from '../seams.ts';
import type { Json } from './json.ts';
import type { Visit } from './visit.ts';

/** Has a token only during an attempt of a task that waits for one. */
export function contextOf(
  execution: ExecutionDescription,
  machine: { readonly arn: string; readonly name: string; readonly roleArn: string },
  { name, enteredAt }: Visit,
  retryCount: number,
  token: string | undefined,
): Json {
  return {
    Execution: {
      Id: execution.executionArn,
      Input: JSON.parse(execution.input),
      Name: execution.name,
      RoleArn: machine.roleArn,
      StartTime: new Date(execution.startDate).toISOString(),
    },
    State: { Name: name, EnteredTime: new Date(enteredAt).toISOString(), RetryCount: retryCount },
    StateMachine: { Id: machine.arn, Name: machine.name },
    ...(token !== undefined && { Task: { Token: token } }),
  };
}
