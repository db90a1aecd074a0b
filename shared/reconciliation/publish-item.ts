/** Tells others what they were not told yet about an item, and sets the time of its next look. */
import type { PublishedKind } from '../events/cloud-event.ts';
import { type PublishDeps, publishOutbox } from '../events/publish.ts';
import { nextDueAt } from './next-due.ts';

export async function publish(kind: PublishedKind, id: string, deps: PublishDeps): Promise<void> {
  await publishOutbox(kind, id, (item) => nextDueAt(item, deps.now()), deps);
}
