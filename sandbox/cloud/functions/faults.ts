/** Faults that tests inject into functions. An invocation takes one when it starts, and returns it if it did not apply. */
export const faultKinds = ['kill', 'timeout', 'oom', 'throttle'] as const;
type FaultKind = (typeof faultKinds)[number];

/** A fault inside an invocation; a throttle prevents its start. */
export type InnerFaultKind = Exclude<FaultKind, 'throttle'>;

export interface FunctionFault<Kind extends FaultKind = FaultKind> {
  readonly kind: Kind;
  /** Applies right after this many outgoing calls of the invocation were answered; 0: before the first. */
  readonly afterCall: number;
  /** How many more times it applies. */
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

  /** Takes the first remaining fault for an invocation of the function; its count is reduced. */
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
