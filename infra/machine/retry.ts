/**
 * The errors after which each kind of step may be retried. The names are wire format: ours come from
 * shared/flow/errors.ts, the others from Step Functions and Lambda.
 */
import { errorName } from '../../shared/flow/errors.ts';

export interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly IntervalSeconds: number;
  readonly BackoffRate: number;
  readonly MaxDelaySeconds?: number;
  readonly MaxAttempts: number;
  readonly JitterStrategy: 'FULL' | 'NONE';
}

/** The function was not invoked at all, so a retry is always safe. */
const throttled: Retrier = {
  ErrorEquals: ['Lambda.TooManyRequestsException'],
  IntervalSeconds: 1,
  BackoffRate: 1.5,
  MaxDelaySeconds: 15,
  MaxAttempts: 20,
  JitterStrategy: 'FULL',
};

/** The step may have run, or may still run: only for steps that are safe to run twice, even concurrently. */
const mayHaveRun = [
  errorName.transient,
  'Sandbox.Timedout',
  'Lambda.Unknown',
  'Runtime.ExitError',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
];

type Delays = Omit<Retrier, 'ErrorEquals'>;

function repeating(delays: Delays, errors: readonly string[] = [...mayHaveRun, 'States.Timeout']): readonly Retrier[] {
  return [throttled, { ErrorEquals: errors, ...delays }];
}

const short: Delays = {
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxDelaySeconds: 20,
  MaxAttempts: 4,
  JitterStrategy: 'FULL',
};

/** A step that is safe to run twice. */
export const safeToRepeat = repeating(short);

/** A step that waits: safe to repeat, but its timeout is an answer. */
export const untilTimeout = repeating(short, mayHaveRun);

/** 14 attempts over 28 seconds: as long as the sale may be sent, which the item decides. */
export const whileSaleMayBeSent = repeating({
  IntervalSeconds: 2,
  BackoffRate: 1,
  MaxAttempts: 14,
  JitterStrategy: 'NONE',
});

/** About 4 minutes of session reads, one each second plus the timeout of the state. */
export const whileTerminalIsOpen = repeating({
  IntervalSeconds: 1,
  BackoffRate: 1,
  MaxAttempts: 40,
  JitterStrategy: 'NONE',
});

/** Two minutes: as long as the platform may take to show a new transaction. */
export const untilTransactionIsVisible = repeating({
  IntervalSeconds: 2,
  BackoffRate: 1.5,
  MaxDelaySeconds: 20,
  MaxAttempts: 10,
  JitterStrategy: 'NONE',
});

/** The last step of every failure: what it does not record is lost. */
export const untilWrittenDown = repeating(
  {
    IntervalSeconds: 1,
    BackoffRate: 2,
    MaxDelaySeconds: 60,
    MaxAttempts: 20,
    JitterStrategy: 'FULL',
  },
  ['States.ALL'],
);

/** A step that moves money: only with proof that nothing was sent. */
export const onlyIfNotSent = repeating(
  {
    IntervalSeconds: 2,
    BackoffRate: 2,
    MaxDelaySeconds: 20,
    MaxAttempts: 3,
    JitterStrategy: 'FULL',
  },
  [errorName.transient],
);

/**
 * The same for a hold, which lasts days: an outage of some minutes must not end it. What may have been sent is read
 * back during the half hour in which it can be proven that it was not made; the item's clock decides. Every run reads
 * first, so it may run again.
 */
export const untilKnown: readonly Retrier[] = [
  throttled,
  {
    ErrorEquals: [errorName.transient],
    IntervalSeconds: 2,
    BackoffRate: 2,
    MaxDelaySeconds: 300,
    MaxAttempts: 8,
    JitterStrategy: 'FULL',
  },
  {
    ErrorEquals: [errorName.unknown, ...mayHaveRun.filter((name) => name !== errorName.transient), 'States.Timeout'],
    IntervalSeconds: 30,
    BackoffRate: 2,
    MaxDelaySeconds: 300,
    MaxAttempts: 8,
    JitterStrategy: 'NONE',
  },
];
