/**
 * What can go wrong inside an execution, by the names the Amazon States Language gives it. `error` is what Retry and
 * Catch match; a function's own error names travel in it too.
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

/** A JSONata expression that threw, answered nothing, or answered something of the wrong kind. */
export class EvaluationError extends StatesError {
  /** The field of the state, as in `Output/saleId`. */
  readonly location: string;

  constructor(location: string, failureCause: string) {
    super(statesError.queryEvaluation, failureCause);
    this.location = location;
  }
}
