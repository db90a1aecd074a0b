/**
 * One execution environment of a function: a worker that serves one event at a time and is reused while it lives. Its
 * failures become the error types that Lambda reports.
 */
import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../../clock.ts';
import type { InvokeResult } from '../seams.ts';
import type { FunctionDefinition } from './definition.ts';
import { InstanceTimers } from './instance-timers.ts';
import type { ArmedFault, FromWorker, ToWorker, WorkerStart } from './protocol.ts';

export interface Work {
  readonly payload: unknown;
  readonly tracked: boolean;
  readonly executionName: string | undefined;
}

export interface InstanceOptions {
  readonly definition: FunctionDefinition;
  readonly clock: Clock;
  /** The URL of the bundled worker module. */
  readonly bootstrap: URL;
  readonly clockOffset: SharedArrayBuffer;
  readonly environment: Readonly<Record<string, string>>;
  readonly onLog: (requestId: string | undefined, text: string) => void;
  readonly onEnd: () => void;
}

interface Running {
  readonly work: Work;
  readonly requestId: string;
  readonly timeout: Timer;
  readonly settle: (result: InvokeResult) => void;
}

export class Instance {
  readonly definition: FunctionDefinition;
  readonly #clock: Clock;
  readonly #worker: Worker;
  readonly #onLog: InstanceOptions['onLog'];
  readonly #timers: InstanceTimers;
  readonly #started = Promise.withResolvers<InvokeResult | undefined>();
  #running: Running | undefined;
  #alive = true;
  #struck = false;

  constructor({ definition, clock, bootstrap, clockOffset, environment, onLog, onEnd }: InstanceOptions) {
    this.definition = definition;
    this.#clock = clock;
    this.#onLog = onLog;
    this.#timers = new InstanceTimers(clock, (timerId) => this.#send({ type: 'timerFired', timerId }));
    this.#worker = new Worker(bootstrap, {
      name: definition.name,
      workerData: {
        module: definition.module,
        handler: definition.handler,
        clockOffset,
        ...(definition.inspectPort !== undefined && { inspectPort: definition.inspectPort }),
      } satisfies WorkerStart,
      env: environment,
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: definition.memoryMb, maxYoungGenerationSizeMb: 8 },
    });
    this.#worker.on('message', (message: FromWorker) => this.#receive(message));
    this.#worker.on('error', (error: NodeJS.ErrnoException) =>
      this.#die(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? killed : 'exit status 1'),
    );
    this.#worker.on('exit', (code) => {
      this.#die(code === outOfMemoryExitCode ? killed : `exit status ${code}`);
      onEnd();
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** The current work, if any. */
  get work(): Work | undefined {
    return this.#running?.work;
  }

  /** Resolves once the function's code is loaded: to undefined, or to the failure for its first event. */
  get started(): Promise<InvokeResult | undefined> {
    return this.#started.promise;
  }

  /** Serves one event; `struck` says whether the injected fault applied. */
  async run(work: Work, fault: ArmedFault | undefined): Promise<{ result: InvokeResult; struck: boolean }> {
    const { promise, resolve: settle } = Promise.withResolvers<InvokeResult>();
    const requestId = randomUUID();
    const { name, arn, memoryMb, logGroupName, timeoutMs } = this.definition;
    const deadlineMs = this.#clock.now() + timeoutMs;
    const timeout = this.#clock.schedule(timeoutMs, () => this.#timeOut(requestId));
    this.#running = { work, requestId, timeout, settle };
    this.#struck = false;
    this.#timers.thaw(work.tracked);
    this.#send({
      type: 'invoke',
      event: JSON.stringify(work.payload) ?? 'null',
      deadlineMs,
      context: {
        awsRequestId: requestId,
        functionName: name,
        functionVersion: '$LATEST',
        invokedFunctionArn: arn,
        memoryLimitInMB: String(memoryMb),
        logGroupName,
        logStreamName: this.#worker.threadId.toString(),
      },
      ...(fault && { fault }),
    });
    const result = await promise;
    return { result, struck: this.#struck };
  }

  /** Ends the worker; an event in progress gets `Lambda.Unknown`. */
  async dispose(): Promise<void> {
    await this.#end({ ok: false, errorType: 'Lambda.Unknown', errorMessage: 'the environment was taken away' });
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        this.#started.resolve(undefined);
        break;
      case 'succeeded':
        this.#settle({ ok: true, payload: JSON.parse(message.payload) });
        break;
      case 'failed': {
        const { errorType, errorMessage, stack, fatal } = message;
        this.#fail(errorType, errorMessage, fatal, stack);
        break;
      }
      case 'timer':
        this.#timers.start(message.timerId, message.delayMs, message.sleeping);
        break;
      case 'timerCancelled':
        this.#timers.cancel(message.timerId);
        break;
      case 'log':
        this.#onLog(this.#running?.requestId, message.text);
        break;
      case 'hanging':
        this.#struck = true;
        this.#timers.start(0, this.definition.timeoutMs, true);
        break;
    }
  }

  /** Lambda writes the end of an invocation into the function's log, whatever the caller does with it. */
  #fail(errorType: string, errorMessage: string, fatal: boolean, stack?: string): void {
    const requestId = this.#running?.requestId;
    this.#onLog(requestId, JSON.stringify({ level: 'ERROR', errorType, errorMessage, stack }));
    const failure = { ok: false, errorType, errorMessage } as const;
    if (fatal) {
      void this.#end(failure);
    } else {
      this.#settle(failure);
    }
  }

  async #end(failure: InvokeResult): Promise<void> {
    this.#alive = false;
    this.#started.resolve(failure);
    this.#settle(failure);
    await this.#worker.terminate();
  }

  #timeOut(requestId: string): void {
    const seconds = (this.definition.timeoutMs / 1000).toFixed(2);
    this.#fail('Sandbox.Timedout', `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`, true);
  }

  #die(reason: string): void {
    if (!this.#alive) {
      return;
    }
    this.#struck = true;
    const requestId = this.#running?.requestId ?? randomUUID();
    this.#fail('Runtime.ExitError', `RequestId: ${requestId} Error: Runtime exited with error: ${reason}`, true);
  }

  #settle(result: InvokeResult): void {
    this.#running?.timeout.cancel();
    this.#timers.freeze();
    this.#running?.settle(result);
    this.#running = undefined;
  }
}

const killed = 'signal: killed';
const outOfMemoryExitCode = 137;
