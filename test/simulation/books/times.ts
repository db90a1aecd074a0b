/** The times of every scenario, in seconds from its start. */
export const HOUR = 3_600;
export const DAY = 24 * HOUR;
/** Faults stop here, except those of webhooks: they stop after the last act of the merchants. */
export const FAULTS_END = 1.5 * HOUR;
export const ACTS_END = 2.2 * DAY;
/** A hold lasts five days. */
export const END = 6.5 * DAY;
export const HOLD_ENDS = 5 * DAY;
/** When most holds end: what releases them meets faults as well. */
export const LATE = HOLD_ENDS - 300;
export const LATE_FAULTS_END = LATE + HOUR;
export const ROUNDS = [0, 1_500];

/** When a fault that begins then ends. */
export function endOf(from: number, seconds: number): number {
  return from === LATE ? from + seconds : Math.min(from + seconds, FAULTS_END);
}
