/** The messages between the local cloud and a function's worker, and the data that a worker is started with. */
import type { InnerFaultKind } from './faults.ts';

export interface WorkerStart {
  /** The file URL of the function's module. */
  readonly module: string;
  readonly handler: string;
  /** One signed 64-bit integer: how many milliseconds virtual time is ahead of real time. */
  readonly clockOffset: SharedArrayBuffer;
  /** Where a debugger can attach. */
  readonly inspectPort?: number;
}

/** A fault of the worker in one invocation, right after its n-th answer arrived. */
export interface ArmedFault {
  readonly kind: InnerFaultKind;
  readonly afterCall: number;
}

export type ToWorker =
  | {
      readonly type: 'invoke';
      readonly event: string;
      readonly deadlineMs: number;
      readonly context: {
        readonly awsRequestId: string;
        readonly functionName: string;
        readonly functionVersion: string;
        readonly invokedFunctionArn: string;
        readonly memoryLimitInMB: string;
        readonly logGroupName: string;
        readonly logStreamName: string;
      };
      readonly fault?: ArmedFault;
    }
  | { readonly type: 'timerFired'; readonly timerId: number };

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'succeeded'; readonly payload: string }
  /** `fatal`: the worker cannot be used again. */
  | {
      readonly type: 'failed';
      readonly errorType: string;
      readonly errorMessage: string;
      readonly stack?: string | undefined;
      readonly fatal: boolean;
    }
  | { readonly type: 'timer'; readonly timerId: number; readonly delayMs: number; readonly sleeping: boolean }
  | { readonly type: 'timerCancelled'; readonly timerId: number }
  | { readonly type: 'log'; readonly text: string }
  /** An injected fault: the function's code stops until the timeout ends it. */
  | { readonly type: 'hanging' };
