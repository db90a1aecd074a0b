/** Tells others what they were not told yet about an item, and sets the time of its next look. */
import type { AnnouncedKind } from '../events/cloud-event.ts';
import { type PublishDeps, publishOutbox } from '../events/publish.ts';
import { nextLook } from './next-due.ts';

export async function publish(kind: AnnouncedKind, id: string, deps: PublishDeps): Promise<void> {
  await publishOutbox(kind, id, (item) => nextLook(item, deps.now()), deps);
}
