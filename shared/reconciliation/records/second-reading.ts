/**
 * The rule of the second reading: one reading of the platform never ends anything for good. A reading that would end an
 * item (a refusal, an absence, an amount) is noted in the item. It counts when a second reading, some minutes later, says
 * the same. A reading that says something else is noted instead.
 */

import type { Reading } from '../../payments/items/common.ts';
import { iso, MINUTE_MS } from '../../payments/time.ts';

/** A little less than the 5 minutes between two runs of the schedule, so that the next run counts. */
export const APART_MS = 4 * MINUTE_MS;

export interface Noted {
  /** To be kept in the item. */
  readonly reading: Reading;
  /** Whether an earlier reading, at least `APART_MS` ago, said the same. */
  readonly agrees: boolean;
}

/** `seen`: the content of the reading in a word or two. Readings agree if their words are equal. */
export function noted(before: Reading | undefined, seen: string, at: number): Noted {
  const same = before?.seen === seen ? before : undefined;
  return {
    reading: same ?? { seen, at: iso(at) },
    agrees: same !== undefined && Date.parse(same.at) + APART_MS <= at,
  };
}
