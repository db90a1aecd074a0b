/** The execution environments of one function, and the invocations that wait for one. */
import type { InvokeResult } from '../seams.ts';
import type { FunctionDefinition } from './definition.ts';
import type { FunctionFaults } from './faults.ts';
import type { Instance, Work } from './instance.ts';

/** The real time after which an idle environment is removed. */
const IDLE_MS = 60_000;

interface Waiting {
  readonly work: Work;
  readonly settle: (result: InvokeResult) => void;
}

export class Pool {
  readonly definition: FunctionDefinition;
  readonly #start: () => Instance;
  readonly #faults: FunctionFaults;
  readonly #waiting: Waiting[] = [];
  readonly #instances = new Set<Instance>();
  readonly #idle: { readonly instance: Instance; readonly expiry: NodeJS.Timeout }[] = [];
  #starting = 0;

  constructor(definition: FunctionDefinition, start: () => Instance, faults: FunctionFaults) {
    this.definition = definition;
    this.#start = start;
    this.#faults = faults;
  }

  /** Invocations accepted and not yet answered. */
  active = 0;

  get starting(): number {
    return this.#starting;
  }

  /** Whether more invocations wait than environments are starting. */
  get needsInstance(): boolean {
    return this.#waiting.length > this.#starting;
  }

  get instances(): Iterable<Instance> {
    return this.#instances;
  }

  async serve(work: Work): Promise<InvokeResult> {
    const { promise, resolve: settle } = Promise.withResolvers<InvokeResult>();
    this.active++;
    this.#waiting.push({ work, settle });
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      clearTimeout(idle.expiry);
      this.#next(idle.instance);
    }
    try {
      return await promise;
    } finally {
      this.active--;
    }
  }

  /** Starts one more environment; a failed start answers the invocation that has waited longest. */
  async startInstance(): Promise<void> {
    this.#starting++;
    const instance = this.#start();
    this.#instances.add(instance);
    const failure = await instance.started;
    this.#starting--;
    if (failure === undefined) {
      this.#next(instance);
    } else {
      this.#instances.delete(instance);
      this.#waiting.shift()?.settle(failure);
    }
  }

  /** Ends running and waiting invocations; with `idleToo`, also the environments kept for reuse. */
  async clear({ idleToo }: { readonly idleToo: boolean }): Promise<void> {
    const failure = { ok: false, errorType: 'Lambda.Unknown', errorMessage: 'the sandbox was reset' } as const;
    for (const { settle } of this.#waiting.splice(0)) {
      settle(failure);
    }
    if (idleToo) {
      for (const { expiry } of this.#idle.splice(0)) {
        clearTimeout(expiry);
      }
    }
    const ending = [...this.#instances].filter(({ work }) => idleToo || work !== undefined);
    await Promise.all(ending.map((instance) => this.#remove(instance)));
  }

  #next(instance: Instance): void {
    if (!instance.alive) {
      this.#instances.delete(instance);
      return;
    }
    const waiting = this.#waiting.shift();
    if (waiting === undefined) {
      const expiry = setTimeout(() => this.#expire(instance), IDLE_MS).unref();
      this.#idle.push({ instance, expiry });
    } else {
      void this.#run(instance, waiting);
    }
  }

  async #run(instance: Instance, { work, settle }: Waiting): Promise<void> {
    const fault = this.#faults.takeInner(this.definition.name);
    const armed = fault && { kind: fault.kind, afterCall: fault.afterCall };
    const { result, struck } = await instance.run(work, armed);
    if (fault !== undefined && !struck) {
      this.#faults.giveBack(fault);
    }
    settle(result);
    this.#next(instance);
  }

  #expire(instance: Instance): void {
    this.#idle.splice(
      this.#idle.findIndex((idle) => idle.instance === instance),
      1,
    );
    void this.#remove(instance);
  }

  async #remove(instance: Instance): Promise<void> {
    this.#instances.delete(instance);
    await instance.dispose();
  }
}
