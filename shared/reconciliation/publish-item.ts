/** Publishes the events of an item that were not published yet, and sets the time at which it is due next. */
import type { PublishedKind } from '../events/cloud-event.ts';
import { type PublishDeps, publishOutbox } from '../events/publish.ts';
import { nextDueAt } from './next-due.ts';

export async function publish(kind: PublishedKind, id: string, deps: PublishDeps): Promise<void> {
  await publishOutbox(kind, id, (item) => nextDueAt(item, deps.now()), deps);
}
