/** Timelines: what happened to a sale or a charge, in the words of the field. They ride in the write they describe. */

import type { Call } from '../viva/viva.ts';
import type { TimelineEntry } from './items.ts';
import { iso } from './time.ts';

/** The oldest entries but the first give way: how it began and how it ended matter most. */
const MAX_TIMELINE_ENTRIES = 100;

export function entry(at: number, event: string, detail?: TimelineEntry['detail']): TimelineEntry {
  return { at: iso(at), event, ...(detail && { detail }) };
}

/** An entry for one call to the platform: what was asked, and how it was answered. */
export function callEntry(at: number, event: string, call: Call, detail?: TimelineEntry['detail']): TimelineEntry {
  return entry(at, event, { ...call, ...detail });
}

export function appended(timeline: readonly TimelineEntry[], ...entries: readonly TimelineEntry[]): TimelineEntry[] {
  const all = [...timeline, ...entries];
  const surplus = all.length - MAX_TIMELINE_ENTRIES;
  return surplus > 0 ? all.toSpliced(1, surplus) : all;
}

/** The same, unless the last entry says what this one does: what is tried every few minutes is told once. */
export function appendedOnce(timeline: readonly TimelineEntry[], next: TimelineEntry): readonly TimelineEntry[] {
  const last = timeline.at(-1);
  const isSame = last?.event === next.event && JSON.stringify(last.detail) === JSON.stringify(next.detail);
  return isSame ? timeline : appended(timeline, next);
}
