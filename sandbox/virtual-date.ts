/** Replaces the global `Date` by one with the given time, so that libraries and function code run in virtual time. */
export function installVirtualDate(now: () => number): void {
  const RealDate = Date;
  class VirtualDate extends RealDate {
    constructor(...args: unknown[]) {
      super(...((args.length === 0 ? [now()] : args) as [number]));
    }

    static override now(): number {
      return now();
    }
  }
  globalThis.Date = VirtualDate as DateConstructor;
}
