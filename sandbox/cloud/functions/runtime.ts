/**
 * The functions of the local cloud: invocation, caps, asynchronous invocation with retries, faults, and who signs with
 * which access key. Every function runs in workers of its own, so that none can see another's environment or memory.
 */
import { devNull } from 'node:os';
import type { Clock } from '../../clock.ts';
import type { Logs } from '../logs.ts';
import type { FunctionHost, InvokeOptions, InvokeResult } from '../seams.ts';
import { workerBootstrap } from './bootstrap.ts';
import type { FunctionDefinition } from './definition.ts';
import { type FunctionFault, FunctionFaults } from './faults.ts';
import { Instance } from './instance.ts';
import { Pool } from './pool.ts';

/** Invocations in progress over all functions, beyond which one is refused: the account's cap. */
const ACCOUNT_CONCURRENCY = 250;
/** Workers that start at the same time: more would only slow each other down. */
const MAX_STARTING = 4;
/** Virtual time between the attempts of an asynchronous invocation that failed. */
const RETRY_DELAYS_MS = [60_000, 120_000];
const THROTTLE_DELAY_MS = 1_000;
const MAX_THROTTLE_DELAY_MS = 300_000;

/** Who signed a request. */
export interface Caller {
  readonly functionName: string;
  readonly roleArn: string;
  /** The execution on whose behalf the function runs at the moment. */
  readonly executionName: string | undefined;
}

export interface FunctionRuntime extends FunctionHost {
  readonly names: readonly string[];
  callerOf(accessKeyId: string): Caller | undefined;
  addFault(functionName: string, fault: FunctionFault): void;
  /** Ends what runs and forgets faults and retries; warm workers stay. */
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
  /** Checked when an invoker gives its service and source; throws when the function's resource policy says no. */
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
  let generation = 0;

  const start = (definition: FunctionDefinition): Instance => {
    const accessKeyId = `ASIASANDBOX${String(++lastKey).padStart(9, '0')}`;
    const instance = new Instance({
      definition,
      clock,
      bootstrap,
      clockOffset,
      environment: environmentOf(definition, accessKeyId, options),
      onLog: (requestId, text) => logs.add(definition.name, requestId, text),
      onEnd: () => byKey.delete(accessKeyId),
    });
    byKey.set(accessKeyId, { instance, definition });
    return instance;
  };
  const pools = definitions.map((definition) => new Pool(definition, () => start(definition), faults));
  const poolOf = (arnOrName: string) =>
    pools.find(({ definition: { name, arn } }) => arnOrName === arn || arnOrName === name);

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

  /** One event of the asynchronous queue: a throttled one waits its turn, a failed one has its retries. */
  async function deliver(pool: Pool, payload: unknown): Promise<void> {
    const { name, maxRetries, maxEventAgeSeconds } = pool.definition;
    const expiresMs = clock.now() + maxEventAgeSeconds * 1000;
    const accepted = generation;
    for (let failures = 0, throttles = 0; ; ) {
      const result = await serve(name, payload, { tracked: true });
      if (result.ok) {
        return;
      }
      const throttled = result.errorType === 'Lambda.TooManyRequestsException';
      const delayMs = throttled
        ? Math.min(THROTTLE_DELAY_MS * 2 ** throttles++, MAX_THROTTLE_DELAY_MS)
        : RETRY_DELAYS_MS[failures++];
      if (failures > maxRetries || delayMs === undefined || clock.now() + delayMs > expiresMs) {
        return;
      }
      await clock.sleep(delayMs);
      if (generation !== accepted) {
        return;
      }
    }
  }

  return {
    names: definitions.map(({ name }) => name),
    invoke,
    invokeAsync(arnOrName, payload) {
      const pool = poolOf(arnOrName);
      if (pool !== undefined) {
        void clock.track(deliver(pool, payload));
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
    addFault: (functionName, fault) => faults.add(functionName, fault),
    async clear() {
      generation++;
      faults.clear();
      await Promise.all(pools.map((pool) => pool.clear({ idleToo: false })));
    },
    async close() {
      generation++;
      stopFollowing();
      await Promise.all(pools.map((pool) => pool.clear({ idleToo: true })));
    },
  };
}

function failure(errorType: string, errorMessage: string): InvokeResult {
  return { ok: false, errorType, errorMessage };
}

function environmentOf(
  { name, handler, module, memoryMb, logGroupName, folder, environment }: FunctionDefinition,
  accessKeyId: string,
  { region, endpoint }: FunctionRuntimeOptions,
): Record<string, string> {
  const file = module.slice(module.lastIndexOf('/') + 1, -'.mjs'.length);
  return {
    TZ: ':UTC',
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: logGroupName,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: `${file}.${handler}`,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'sandbox',
    AWS_SESSION_TOKEN: 'sandbox',
    // The machine's own AWS settings must not reach a function.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    ...environment,
  };
}
