/** Timelines of items. An entry is added by the same write as the change that it describes. All functions are pure. */

import type { Call } from '../viva/viva.ts';
import type { TimelineEntry } from './items/common.ts';
import { iso } from './time.ts';

/** Above this the oldest entries are dropped, except the first one. */
const MAX_TIMELINE_ENTRIES = 100;

/** `at`: milliseconds since the epoch. */
export function entry(at: number, event: string, detail?: TimelineEntry['detail']): TimelineEntry {
  return { at: iso(at), event, ...(detail && { detail }) };
}

/** An entry for one call to the platform and its answer. */
export function callEntry(at: number, event: string, call: Call, detail?: TimelineEntry['detail']): TimelineEntry {
  return entry(at, event, { ...call, ...detail });
}

export function appended(timeline: readonly TimelineEntry[], ...entries: readonly TimelineEntry[]): TimelineEntry[] {
  const all = [...timeline, ...entries];
  const surplus = all.length - MAX_TIMELINE_ENTRIES;
  return surplus > 0 ? all.toSpliced(1, surplus) : all;
}

/** As `appended`, but leaves out an entry that repeats the last one, for what is tried again every few minutes. */
export function appendedOnce(timeline: readonly TimelineEntry[], next: TimelineEntry): readonly TimelineEntry[] {
  const last = timeline.at(-1);
  const isSame = last?.event === next.event && JSON.stringify(last.detail) === JSON.stringify(next.detail);
  return isSame ? timeline : appended(timeline, next);
}
