/** Publishes the events of an item that are not published yet, and sets when the item is due next. Safe to run twice. */

import { type PublishDeps, publishOutbox } from '../events/publish.ts';
import type { PublishedKind } from '../payments/outbox.ts';
import { nextDueAt } from './next-due.ts';

export async function publish(kind: PublishedKind, id: string, deps: PublishDeps): Promise<void> {
  await publishOutbox(kind, id, (item) => nextDueAt(item, deps.now()), deps);
}
