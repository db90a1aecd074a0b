/**
 * The functions of the local cloud: invocation, limits, asynchronous invocation with retries, faults, and the owner of
 * each access key. Every function runs in its own workers, so that none can see another's environment or memory.
 */
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../clock.ts';
import type { Logs } from '../logs.ts';
import type { FunctionHost, InvokeOptions, InvokeResult } from '../seams.ts';
import { workerBootstrap } from './bootstrap.ts';
import type { FunctionDefinition } from './definition.ts';
import { createDeliveries } from './deliveries.ts';
import { environmentOf } from './environment.ts';
import { type FunctionFault, FunctionFaults } from './faults.ts';
import { Instance } from './instance.ts';
import { Pool } from './pool.ts';
import { withSourcePositions } from './source-positions.ts';

/** The account's limit of concurrent invocations over all functions; more are refused. */
const ACCOUNT_CONCURRENCY = 250;
/** Workers that start at the same time; more would only slow each other down. */
const MAX_STARTING = 4;
/** Environments kept for reuse, over all functions: each takes some 20 MB. */
const MAX_IDLE = 24;

/** How long a function may stand at a breakpoint. */
const INSPECTED_TIMEOUT_MS = 3_600_000;

/** The signer of a request. */
export interface Caller {
  readonly functionName: string;
  readonly roleArn: string;
  /** The execution on whose behalf the function currently runs. */
  readonly executionName: string | undefined;
}

export interface FunctionRuntime extends FunctionHost {
  readonly names: readonly string[];
  callerOf(accessKeyId: string): Caller | undefined;
  /** From now on the function runs this module: a file, with its source map beside it. */
  swap(functionName: string, file: string, inspectPort?: number): Promise<void>;
  addFault(functionName: string, fault: FunctionFault): void;
  /** Ends what runs, and removes faults and retries; warm workers stay. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export interface FunctionRuntimeOptions {
  readonly clock: Clock;
  readonly definitions: readonly FunctionDefinition[];
  readonly region: string;
  /** Where the functions' AWS clients send their requests. */
  readonly endpoint: string;
  readonly logs: Logs;
  /** Checked when a caller names its service and source; throws when the function's resource policy denies it. */
  readonly authorizeService: (functionArn: string, service: string, sourceArn: string) => void;
}

export async function createFunctions(options: FunctionRuntimeOptions): Promise<FunctionRuntime> {
  const { clock, definitions, logs } = options;
  const bootstrap = await workerBootstrap();
  const clockOffset = new SharedArrayBuffer(8);
  const offset = new BigInt64Array(clockOffset);
  Atomics.store(offset, 0, BigInt(Math.round(clock.offsetMs)));
  const stopFollowing = clock.onOffset((offsetMs) => Atomics.store(offset, 0, BigInt(Math.round(offsetMs))));

  const faults = new FunctionFaults();
  const byKey = new Map<string, { readonly instance: Instance; readonly definition: FunctionDefinition }>();
  let lastKey = 0;

  const start = (definition: FunctionDefinition): Instance => {
    const accessKeyId = `ASIASANDBOX${String(++lastKey).padStart(9, '0')}`;
    const instance = new Instance({
      definition,
      clock,
      bootstrap,
      clockOffset,
      environment: environmentOf(definition, accessKeyId, options),
      onLog: (requestId, text) => logs.add(definition.name, requestId, withSourcePositions(text, definition.module)),
      onEnd: () => byKey.delete(accessKeyId),
    });
    byKey.set(accessKeyId, { instance, definition });
    return instance;
  };
  const pools = definitions.map((definition) => new Pool(definition, start, faults, onFree, startMore));
  const poolOf = (arnOrName: string) =>
    pools.find(({ definition: { name, arn } }) => arnOrName === arn || arnOrName === name);

  function limitIdle(): void {
    const idle = pools.reduce((sum, pool) => sum + pool.idle, 0);
    if (idle > MAX_IDLE) {
      const several = pools.filter((pool) => pool.idle > 1);
      (several.length > 0 ? several : pools)
        .reduce((oldest, pool) => (pool.idleSince < oldest.idleSince ? pool : oldest))
        .expireOldest();
    }
  }

  function onFree(): void {
    limitIdle();
    startMore();
  }

  function startMore(): void {
    const starting = pools.reduce((sum, pool) => sum + pool.starting, 0);
    const [neediest] = pools.filter((pool) => pool.needsInstance).sort((a, b) => a.starting - b.starting);
    if (neediest !== undefined && starting < MAX_STARTING) {
      void neediest.startInstance().then(startMore);
      startMore();
    }
  }

  async function serve(
    arnOrName: string,
    payload: unknown,
    { tracked = false, executionName, invoker }: InvokeOptions,
  ) {
    const pool = poolOf(arnOrName);
    if (pool === undefined) {
      return failure('Lambda.ResourceNotFoundException', `Function not found: ${arnOrName}`);
    }
    if (invoker !== undefined) {
      try {
        options.authorizeService(pool.definition.arn, invoker.service, invoker.sourceArn);
      } catch (error) {
        return failure('Lambda.AccessDeniedException', (error as Error).message);
      }
    }
    const active = pools.reduce((sum, { active }) => sum + active, 0);
    const full = active >= ACCOUNT_CONCURRENCY || pool.active >= (pool.definition.reservedConcurrency ?? Infinity);
    if (full || faults.takeThrottle(pool.definition.name)) {
      return failure('Lambda.TooManyRequestsException', 'Rate Exceeded.');
    }
    const served = pool.serve({ payload, tracked, executionName });
    startMore();
    return served;
  }

  async function invoke(arnOrName: string, payload: unknown, given: InvokeOptions = {}): Promise<InvokeResult> {
    const work = serve(arnOrName, payload, given);
    return given.tracked ? clock.track(work) : work;
  }

  const deliveries = createDeliveries(clock, ({ name }, payload) => serve(name, payload, { tracked: true }));

  return {
    names: definitions.map(({ name }) => name),
    invoke,
    invokeAsync(arnOrName, payload) {
      const pool = poolOf(arnOrName);
      if (pool !== undefined) {
        deliveries.accept(pool.definition, payload);
      }
    },
    callerOf(accessKeyId) {
      const signer = byKey.get(accessKeyId);
      return (
        signer && {
          functionName: signer.definition.name,
          roleArn: signer.definition.roleArn,
          executionName: signer.instance.work?.executionName,
        }
      );
    },
    async swap(functionName, file, inspectPort) {
      const pool = poolOf(functionName);
      if (pool === undefined) {
        throw new Error(`there is no function ${functionName}`);
      }
      const module = pathToFileURL(file).href;
      const inspected = inspectPort !== undefined && { inspectPort, timeoutMs: INSPECTED_TIMEOUT_MS };
      await pool.swap({ ...pool.definition, module, ...inspected });
    },
    addFault: (functionName, fault) => faults.add(functionName, fault),
    async clear() {
      deliveries.forget();
      faults.clear();
      await Promise.all(pools.map((pool) => pool.clear({ idleToo: false })));
    },
    async close() {
      deliveries.forget();
      stopFollowing();
      await Promise.all(pools.map((pool) => pool.clear({ idleToo: true })));
    },
  };
}

function failure(errorType: string, errorMessage: string): InvokeResult {
  return { ok: false, errorType, errorMessage };
}
