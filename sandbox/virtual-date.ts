/** Replaces the global `Date` by one that tells the given time: libraries and function code alike then live in virtual time. */
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
