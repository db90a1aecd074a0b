/**
 * The errors inside an execution, with their names in the Amazon States Language. Retry and Catch match `error`, which
 * may also be the name of a function's own error.
 */
export const statesError = {
  all: 'States.ALL',
  taskFailed: 'States.TaskFailed',
  timeout: 'States.Timeout',
  heartbeatTimeout: 'States.HeartbeatTimeout',
  queryEvaluation: 'States.QueryEvaluationError',
  noChoiceMatched: 'States.NoChoiceMatched',
  dataLimitExceeded: 'States.DataLimitExceeded',
  runtime: 'States.Runtime',
} as const;

export class StatesError extends Error {
  readonly error: string;
  readonly failureCause: string;

  constructor(error: string, failureCause: string) {
    super(`${error}: ${failureCause}`);
    this.error = error;
    this.failureCause = failureCause;
  }
}

/** A JSONata expression that threw, returned nothing, or returned the wrong type. */
export class EvaluationError extends StatesError {
  /** The field of the state, for example `Output/saleId`. */
  readonly location: string;

  constructor(location: string, failureCause: string) {
    super(statesError.queryEvaluation, failureCause);
    this.location = location;
  }
}
