/**
 * Lambda in memory: environments that are reused, limits, time-outs, deaths, throttles, and asynchronous invocation with
 * retries. A function that dies takes its environment with it. It has no new
 * effects; what it had sent before may still arrive.
 */

import type { FunctionDefinition } from '../../sandbox/cloud/functions/definition.ts';
import { createDeliveries } from '../../sandbox/cloud/functions/deliveries.ts';
import { type FunctionFault, FunctionFaults } from '../../sandbox/cloud/functions/faults.ts';
import type { FunctionHost, InvokeResult } from '../../sandbox/cloud/seams.ts';
import { answerRequest } from '../../shared/api/endpoint.ts';
import { readApiRequest } from '../../shared/api/request.ts';
import { toFlowError } from '../../shared/flow/errors.ts';
import { runStep } from '../../shared/flow/step.ts';
import { type Surroundings, wire } from './programs.ts';
import type { Instance, Strike } from './seam.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface HostOptions {
  readonly clock: VirtualClock;
  readonly prefix: string;
  readonly definitions: readonly FunctionDefinition[];
  readonly surroundings: (instance: Instance, definition: FunctionDefinition) => Surroundings;
  /** `before`: Lambda fails and does not invoke; `after`: the result is lost; `twice`: Lambda delivers it twice. */
  readonly strike: (functionName: string) => Strike | undefined;
  /** Whether an asynchronous invocation would find nothing to do. It is left out, to save time. */
  readonly isIdle: (functionName: string) => boolean;
  readonly trace: (instance: Instance, operation: string, key: string, result: string) => void;
}

interface Environment {
  readonly instance: Instance;
  /** Of the code that was deployed when it started. */
  readonly deployment: number;
  readonly log: Surroundings['log'];
  readonly program: ReturnType<typeof wire>;
}

/** What the caller gets when Lambda itself fails. */
const lost: InvokeResult = { ok: false, errorType: 'Lambda.ServiceException', errorMessage: 'ServiceException' };

/** Warm environments that are kept per function. */
const IDLE = 3;

export class Host implements FunctionHost {
  readonly names: readonly string[];
  /** How often each function died. */
  readonly deaths = new Map<string, number>();
  readonly #faults = new FunctionFaults();
  readonly #options: HostOptions;
  readonly #idle = new Map<string, Environment[]>();
  readonly #active = new Map<string, number>();
  readonly #deliveries;
  readonly #running = new Set<Instance>();
  #instances = 0;
  #deployment = 0;

  constructor(options: HostOptions) {
    this.#options = options;
    this.names = options.definitions.map(({ name }) => name);
    this.#deliveries = createDeliveries(options.clock, (definition, payload) => this.#serve(definition, payload));
  }

  invoke(arnOrName: string, payload: unknown): Promise<InvokeResult> {
    const definition = this.find(arnOrName);
    switch (this.#options.strike(this.#nameOf(definition))) {
      case 'before':
        return Promise.resolve(lost);
      case 'after':
        return this.#serve(definition, payload).then(() => lost);
      case 'twice':
        void this.#serve(definition, payload);
        return this.#serve(definition, payload);
      default:
        return this.#serve(definition, payload);
    }
  }

  invokeAsync(arnOrName: string, payload: unknown): void {
    const definition = this.find(arnOrName);
    const name = this.#nameOf(definition);
    if (this.#options.isIdle(name)) {
      return;
    }
    this.#deliveries.accept(definition, payload);
    if (this.#options.strike(name) === 'twice') {
      this.#deliveries.accept(definition, payload);
    }
  }

  #nameOf({ name }: FunctionDefinition): string {
    return name.slice(this.#options.prefix.length);
  }

  find(arnOrName: string): FunctionDefinition {
    const { definitions, prefix } = this.#options;
    const found = definitions.find(({ arn, name }) => [arn, name].includes(arnOrName) || name === prefix + arnOrName);
    if (found === undefined) {
      throw new Error(`there is no function ${arnOrName}`);
    }
    return found;
  }

  addFault(functionName: string, fault: FunctionFault): void {
    this.#faults.add(functionName.slice(this.#options.prefix.length), fault);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  /** Ends what runs, and removes faults and retries. */
  clear(): void {
    for (const instance of this.#running) {
      instance.alive = false;
    }
    this.#running.clear();
    this.#deliveries.forget();
    this.#faults.clear();
    this.#active.clear();
  }

  /** New code is deployed: what runs ends on the old one, and every later invocation starts a new environment. */
  deploy(): void {
    this.#deployment++;
    this.#idle.clear();
  }

  async #serve(definition: FunctionDefinition, payload: unknown): Promise<InvokeResult> {
    const { clock, prefix } = this.#options;
    const name = definition.name.slice(prefix.length);
    const active = this.#active.get(name) ?? 0;
    if (active >= (definition.reservedConcurrency ?? 100) || this.#faults.takeThrottle(name)) {
      return { ok: false, errorType: 'Lambda.TooManyRequestsException', errorMessage: 'Rate Exceeded.' };
    }
    const environment = this.#idle.get(name)?.pop() ?? this.#start(name, definition);
    const { instance } = environment;
    this.#active.set(name, active + 1);
    const fault = this.#faults.takeInner(name);
    const { promise, resolve } = Promise.withResolvers<InvokeResult>();
    const end = (errorType: string, errorMessage: string) => {
      instance.alive = false;
      environment.log('error', errorMessage, { errorType });
      this.deaths.set(name, (this.deaths.get(name) ?? 0) + 1);
      resolve({ ok: false, errorType, errorMessage });
    };
    const deadlineMs = clock.now() + definition.timeoutMs;
    const timeout = clock.schedule(definition.timeoutMs, () => end('Sandbox.Timedout', 'Task timed out'));
    this.#running.add(instance);
    instance.frozen?.resolve();
    instance.frozen = undefined;
    instance.answered = 0;
    instance.diesAfter = fault?.afterCall;
    instance.die = () => {
      instance.alive = false;
      if (fault?.kind !== 'timeout') {
        end('Runtime.ExitError', 'exit status 1');
      }
    };
    const done = (result: InvokeResult) => {
      if (instance.alive) {
        resolve(result);
      }
    };
    void run(environment, JSON.parse(JSON.stringify(payload ?? null)) as never, () => deadlineMs - clock.now()).then(
      done,
    );
    const result = await promise;
    timeout.cancel();
    this.#running.delete(instance);
    this.#active.set(name, (this.#active.get(name) ?? 1) - 1);
    if (fault !== undefined && instance.alive) {
      this.#faults.giveBack(fault);
    }
    this.#options.trace(instance, 'ended', '', result.ok ? 'ok' : result.errorType);
    instance.frozen = Promise.withResolvers<void>();
    this.#keep(name, environment);
    return result;
  }

  #start(name: string, definition: FunctionDefinition): Environment {
    const instance: Instance = {
      name,
      id: this.#instances++,
      alive: true,
      answered: 0,
      diesAfter: undefined,
      die: undefined,
      frozen: undefined,
    };
    const surroundings = this.#options.surroundings(instance, definition);
    return { instance, program: wire(name, surroundings), log: surroundings.log, deployment: this.#deployment };
  }

  #keep(name: string, environment: Environment): void {
    const idle = this.#idle.get(name) ?? [];
    this.#idle.set(name, idle);
    if (environment.instance.alive && environment.deployment === this.#deployment && idle.length < IDLE) {
      idle.push(environment);
    }
  }
}

async function run({ program, log }: Environment, payload: never, remainingMs: () => number): Promise<InvokeResult> {
  if ('step' in program) {
    let ids: object = {};
    try {
      return {
        ok: true,
        payload: await runStep(program.step, payload, program.deps, { remainingMs }, (given) => (ids = given)),
      };
    } catch (error) {
      const { name: errorType, message: errorMessage, code, context } = toFlowError(error);
      log('error', 'step failed', { ...ids, ...context, errorType, errorMessage, code });
      return { ok: false, errorType, errorMessage };
    }
  }
  const { endpoint, deps } = program;
  const request = readApiRequest(payload, endpoint.secrets);
  const { result, log: line } = await answerRequest(endpoint, request, deps, { remainingMs });
  if (line.fault !== undefined) {
    log('error', 'request failed', { errorType: line.fault.name, code: line.code });
  }
  return { ok: true, payload: result };
}
