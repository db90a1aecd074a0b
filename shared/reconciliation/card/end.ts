/**
 * Ends a request to store a card (`POST /cards`) after its execution stopped. Safe to run twice: only a pending one is
 * ended.
 */

import { type EndDeps, refusalAt, type SourceState, type Stopped } from '../../flow/stopped.ts';
import { appended, entry } from '../../payments/timeline.ts';

export async function endCardRequest(
  cardId: string,
  { state, error }: Stopped<SourceState>,
  { payments, now }: EndDeps,
): Promise<void> {
  const code = refusalAt(state);
  await payments.change('card', cardId, (request) =>
    request.status === 'pending'
      ? {
          status: 'refused' as const,
          failure: { code },
          timeline: appended(request.timeline, entry(now(), 'flow.stopped', { state, error })),
        }
      : undefined,
  );
}
