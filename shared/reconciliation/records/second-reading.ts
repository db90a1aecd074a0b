/**
 * One reading of the platform never ends anything for good. A reading that would end an item (a refusal, an absence, an
 * amount) is noted in the item. It counts when a second reading, some minutes later, says the same. A reading that says
 * something else replaces it.
 */

import type { Reading } from '../../payments/items.ts';
import { iso, MINUTE_MS } from '../../payments/time.ts';

/** A little less than the five minutes of the schedule, so that its next run counts. */
export const APART_MS = 4 * MINUTE_MS;

export interface Noted {
  /** To be kept in the item. */
  readonly reading: Reading;
  /** An earlier reading said the same. */
  readonly agrees: boolean;
}

/** `seen`: what the reading says, in a word; what differs in it is another reading. */
export function noted(before: Reading | undefined, seen: string, at: number): Noted {
  const same = before?.seen === seen ? before : undefined;
  return {
    reading: same ?? { seen, at: iso(at) },
    agrees: same !== undefined && Date.parse(same.at) + APART_MS <= at,
  };
}
