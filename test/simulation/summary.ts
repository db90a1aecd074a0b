/** What a run of the simulation says about itself: while it plays, and at its end. */
import { INVARIANTS } from './books/invariants.ts';
import { newInLastTenth } from './growth.ts';
import { JOURNAL, type Recorded } from './journal.ts';

/** `known`: what was recorded before this run. `end`: the seed after the last one. */
export function progressLine(known: Recorded, proven: Recorded, end: number, secondsLeft: number): string {
  const played = proven.next - known.next;
  const rate = played / (proven.seconds - known.seconds);
  const left = Math.min((end - proven.next) / rate, Math.max(0, secondsLeft));
  const faults = [...proven.counts]
    .filter(([what]) => /^(cloud|platform)/.test(what))
    .reduce((sum, [, times]) => sum + times, 0);
  const goal = Number.isFinite(end) ? ` of ${end - proven.first}` : '';
  return [
    `${played} seeds`,
    ...(proven.code === undefined ? [] : [`${proven.next - proven.first}${goal} recorded in all`]),
    `${rate.toFixed(1)} a second`,
    `${faults} faults struck`,
    `${proven.failed.length} failed`,
    ...(Number.isFinite(left) ? [`${Math.ceil(left)} s left`] : []),
  ].join(', ');
}

export function summary(known: Recorded, proven: Recorded): string {
  const { first, next, machine, items, code, failed } = proven;
  const played = next - known.next;
  const seconds = proven.seconds - known.seconds;
  const fresh = newInLastTenth(proven);
  const broken = new Set(failed.flatMap((one) => one.broken));
  return [
    `${played} seeds from ${known.next} on, in ${seconds.toFixed(0)} s: ${(played / seconds).toFixed(1)} a second, ` +
      `${Math.round((proven.turns - known.turns) / seconds)} turns a second.`,
    ...(code === undefined ? [] : [`${next - first} seeds are recorded in ${JOURNAL}, of commit ${code.commit}.`]),
    `Paths: ${machine.size} of executions and ${items.size} of items; ` +
      `${fresh.machine} and ${fresh.items} of them were new in the last 10 % of the seeds.`,
    failed.length === 0
      ? `Held: ${Object.keys(INVARIANTS).join(', ')}.`
      : `Broken: ${[...broken].join(', ')} by the seeds ${failed.map(({ seed }) => seed).join(', ')}. ` +
        'Play one again with npm run simulate -- --seed S --trace.',
  ].join('\n');
}
