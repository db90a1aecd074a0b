/** Step Functions as the SDK calls it; states/ runs the executions. */
import { AwsError, type StatesService } from '../seams.ts';
import { type AwsCall, type AwsService, optional, required } from './service.ts';

export function stepFunctionsService(states: StatesService): AwsService {
  const onToken = ({ operation, input, authorize }: AwsCall): { readonly taskToken: string } => {
    const taskToken = required(input, 'taskToken');
    const machine = states.machineOf(taskToken);
    if (machine !== undefined) {
      authorize({ action: `states:${operation}`, resource: machine });
    }
    return { taskToken };
  };
  const onExecution = ({ operation, input, authorize }: AwsCall): string => {
    const executionArn = required(input, 'executionArn');
    authorize({ action: `states:${operation}`, resource: executionArn });
    return executionArn;
  };

  const operations: Readonly<Record<string, AwsService>> = {
    StartExecution({ input, authorize }) {
      const stateMachineArn = required(input, 'stateMachineArn');
      authorize({ action: 'states:StartExecution', resource: stateMachineArn });
      const { executionArn, startDate } = states.startExecution({
        stateMachineArn,
        name: required(input, 'name'),
        input: optional(input, 'input', 'text').text ?? '{}',
      });
      return { executionArn, startDate: startDate / 1000 };
    },
    SendTaskSuccess(call) {
      states.sendTaskSuccess({ ...onToken(call), output: required(call.input, 'output') });
      return {};
    },
    SendTaskFailure(call) {
      const { input } = call;
      states.sendTaskFailure({
        ...onToken(call),
        ...optional(input, 'error', 'error'),
        ...optional(input, 'cause', 'cause'),
      });
      return {};
    },
    SendTaskHeartbeat(call) {
      states.sendTaskHeartbeat(onToken(call));
      return {};
    },
    DescribeExecution: (call) => wireDates(states.describeExecution(onExecution(call))),
    StopExecution(call) {
      const executionArn = onExecution(call);
      const { input } = call;
      const { stopDate } = states.stopExecution({
        executionArn,
        ...optional(input, 'error', 'error'),
        ...optional(input, 'cause', 'cause'),
      });
      return { stopDate: stopDate / 1000 };
    },
    GetExecutionHistory(call) {
      const events = states.history(onExecution(call));
      const ordered = call.input['reverseOrder'] === true ? events.toReversed() : events;
      return { events: ordered.map((event) => ({ ...event, timestamp: event.timestamp / 1000 })) };
    },
    ListExecutions({ input, authorize }) {
      const stateMachineArn = required(input, 'stateMachineArn');
      authorize({ action: 'states:ListExecutions', resource: stateMachineArn });
      const { status } = optional(input, 'statusFilter', 'status');
      const executions = states
        .listExecutions(stateMachineArn)
        .filter((execution) => status === undefined || execution.status === status)
        .map(({ input: _input, output: _output, ...listed }) => wireDates(listed));
      return { executions };
    },
  };

  return (call) => {
    const operation = operations[call.operation];
    if (operation === undefined) {
      throw new AwsError(
        'UnknownOperationException',
        `the local cloud does not know ${call.operation} of state machines`,
      );
    }
    return operation(call);
  };
}

function wireDates<Given extends { readonly startDate: number; readonly stopDate?: number }>(given: Given) {
  return {
    ...given,
    startDate: given.startDate / 1000,
    ...(given.stopDate !== undefined && { stopDate: given.stopDate / 1000 }),
  };
}
