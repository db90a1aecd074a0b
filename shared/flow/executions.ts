/**
 * Starts executions of the state machine. The name of an execution contains the id of its sale, charge or card, and a name
 * can be used once. So starting the same execution twice is safe.
 */
import { DescribeExecutionCommand, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { Problem } from '../api/problem.ts';

/** The input of an execution. The ids that are not null choose where the machine begins. */
export interface ExecutionInput {
  readonly saleId: string | null;
  readonly cardId: string | null;
  readonly chargeId: string | null;
}

export interface Executions {
  arnOf(name: string): string;
  start(name: string, input: ExecutionInput): Promise<void>;
}

export function createExecutions(client: SFNClient, machineArn: string): Executions {
  return {
    arnOf: (name) => `${machineArn.replace(':stateMachine:', ':execution:')}:${name}`,
    async start(name, input) {
      try {
        await client.send(
          new StartExecutionCommand({ stateMachineArn: machineArn, name, input: JSON.stringify(input) }),
        );
      } catch (error) {
        if (!(error instanceof Error && error.name === 'ExecutionAlreadyExists')) {
          throw error;
        }
      }
    },
  };
}

/** `absent`: the execution was never started. */
export type ExecutionState = 'running' | 'ended' | 'absent';

export function createStateOfExecution(client: SFNClient): (executionArn: string) => Promise<ExecutionState> {
  return async (executionArn) => {
    try {
      const { status } = await client.send(new DescribeExecutionCommand({ executionArn }));
      return status === 'RUNNING' ? 'running' : 'ended';
    } catch (error) {
      if (error instanceof Error && error.name === 'ExecutionDoesNotExist') {
        return 'absent';
      }
      throw error;
    }
  };
}

export function executionName(executionArn: string): string {
  return executionArn.slice(executionArn.lastIndexOf(':') + 1);
}

/** For an endpoint that has stored its request. Throws a Problem 503 if the start fails; a repeat of the request starts it. */
export async function startOrUnavailable(executions: Executions, name: string, input: ExecutionInput): Promise<void> {
  try {
    await executions.start(name, input);
  } catch (error) {
    throw new Problem(
      'SERVICE_UNAVAILABLE',
      'The request was stored but not started. Send it again with the same idempotency key.',
      {
        cause: error,
        headers: { 'Retry-After': '1' },
      },
    );
  }
}
