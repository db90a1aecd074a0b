/**
 * Starting the state machine. An execution has the id of what it drives as its name, so starting it twice is starting it
 * once: while it runs the answer is the same, and after that its name is taken.
 */
import { DescribeExecutionCommand, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { Problem } from '../api/problem.ts';

/** What an execution drives: exactly one entry of the machine. */
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

/** `absent`: it was never started. */
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

/** For an endpoint that has written down what to start: a repeat of its request starts it. */
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
