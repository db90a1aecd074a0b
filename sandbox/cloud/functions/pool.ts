/** The execution environments of one function, and the invocations that wait for one. */
import type { InvokeResult } from '../seams.ts';
import type { FunctionDefinition } from './definition.ts';
import type { FunctionFaults } from './faults.ts';
import type { Instance, Work } from './instance.ts';

/** The real time after which an idle environment is removed. */
const IDLE_MS = 60_000;

/** The real time that an invocation waits for a busy environment: most are free sooner than a new one has started. */
const PATIENCE_MS = 30;

interface Waiting {
  readonly work: Work;
  readonly since: number;
  readonly settle: (result: InvokeResult) => void;
}

export class Pool {
  readonly #start: (definition: FunctionDefinition) => Instance;
  readonly #faults: FunctionFaults;
  readonly #waiting: Waiting[] = [];
  readonly #instances = new Set<Instance>();
  readonly #idle: { readonly instance: Instance; readonly since: number; readonly expiry: NodeJS.Timeout }[] = [];
  readonly #onFree: () => void;
  readonly #onWaiting: () => void;
  #definition: FunctionDefinition;
  #starting = 0;

  constructor(
    definition: FunctionDefinition,
    start: (definition: FunctionDefinition) => Instance,
    faults: FunctionFaults,
    onFree: () => void,
    onWaiting: () => void,
  ) {
    this.#definition = definition;
    this.#start = start;
    this.#faults = faults;
    this.#onFree = onFree;
    this.#onWaiting = onWaiting;
  }

  get definition(): FunctionDefinition {
    return this.#definition;
  }

  /** From now on runs other code: what runs ends with the old one, all other environments are new. */
  async swap(definition: FunctionDefinition): Promise<void> {
    this.#definition = definition;
    await Promise.all(
      this.#idle.splice(0).map(({ instance, expiry }) => {
        clearTimeout(expiry);
        return this.#remove(instance);
      }),
    );
    if (definition.inspectPort !== undefined && this.#instances.size === 0) {
      await this.startInstance();
    }
  }

  /** Invocations accepted and not yet answered. */
  active = 0;

  get idle(): number {
    return this.#idle.length;
  }

  /** Real time since when its oldest idle environment has had nothing to do. */
  get idleSince(): number {
    return this.#idle[0]?.since ?? Number.POSITIVE_INFINITY;
  }

  expireOldest(): void {
    const oldest = this.#idle[0];
    if (oldest !== undefined) {
      clearTimeout(oldest.expiry);
      this.#expire(oldest.instance);
    }
  }

  get starting(): number {
    return this.#starting;
  }

  /** Whether more invocations have waited long enough than environments are starting. */
  get needsInstance(): boolean {
    // A debugger can attach to one environment only.
    const isTaken = this.#definition.inspectPort !== undefined && this.#instances.size > 0;
    const next = this.#waiting[this.#starting];
    const isLate = next !== undefined && performance.now() - next.since >= PATIENCE_MS;
    return !isTaken && next !== undefined && (isLate || this.#instances.size === this.#starting);
  }

  get instances(): Iterable<Instance> {
    return this.#instances;
  }

  async serve(work: Work): Promise<InvokeResult> {
    const { promise, resolve: settle } = Promise.withResolvers<InvokeResult>();
    this.active++;
    this.#waiting.push({ work, settle, since: performance.now() });
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      clearTimeout(idle.expiry);
      this.#next(idle.instance);
    } else {
      setTimeout(this.#onWaiting, PATIENCE_MS + 1);
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
    const instance = this.#start(this.#definition);
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
    if (instance.definition !== this.#definition) {
      void this.#remove(instance);
      return;
    }
    const waiting = this.#waiting.shift();
    if (waiting === undefined) {
      const expiry = setTimeout(() => this.#expire(instance), IDLE_MS).unref();
      this.#idle.push({ instance, since: performance.now(), expiry });
      this.#onFree();
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
    await instance.dispose();
    this.#instances.delete(instance);
    this.#onFree();
  }
}
