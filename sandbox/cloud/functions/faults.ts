/** Faults that tests inject into functions: an invocation takes one when it starts, and gives it back if it did not strike. */
export const faultKinds = ['kill', 'timeout', 'oom', 'throttle'] as const;
type FaultKind = (typeof faultKinds)[number];

/** A fault that happens inside an invocation; a throttle keeps it from starting. */
export type InnerFaultKind = Exclude<FaultKind, 'throttle'>;

export interface FunctionFault<Kind extends FaultKind = FaultKind> {
  readonly kind: Kind;
  /** Strikes right after this many outgoing calls of the invocation were answered; 0: before the first. */
  readonly afterCall: number;
  /** How many more times it strikes. */
  times: number;
}

export class FunctionFaults {
  readonly #faults = new Map<string, FunctionFault[]>();

  add(functionName: string, fault: FunctionFault): void {
    this.#faults.set(functionName, [...(this.#faults.get(functionName) ?? []), { ...fault }]);
  }

  /** Whether this invocation is to be refused. */
  takeThrottle(functionName: string): boolean {
    return this.#take(functionName, (fault) => fault.kind === 'throttle') !== undefined;
  }

  /** The first fault left for an invocation of the function; the caller owns one of its times. */
  takeInner(functionName: string): FunctionFault<InnerFaultKind> | undefined {
    return this.#take(functionName, (fault): fault is FunctionFault<InnerFaultKind> => fault.kind !== 'throttle');
  }

  giveBack(fault: FunctionFault): void {
    fault.times++;
  }

  clear(): void {
    this.#faults.clear();
  }

  #take<F extends FunctionFault>(functionName: string, wanted: (fault: FunctionFault) => fault is F): F | undefined;
  #take(functionName: string, wanted: (fault: FunctionFault) => boolean): FunctionFault | undefined;
  #take(functionName: string, wanted: (fault: FunctionFault) => boolean): FunctionFault | undefined {
    const fault = this.#faults.get(functionName)?.find((fault) => fault.times > 0 && wanted(fault));
    if (fault !== undefined) {
      fault.times--;
    }
    return fault;
  }
}
