/** Ends a request to store a card (`POST /cards`) after its flow stopped. Safe to run twice: only a pending one is ended. */

import type { EndDeps, Stopped } from '../../flow/stopped.ts';
import type { FailureCode } from '../../payments/failures.ts';
import { appended, entry } from '../../payments/timeline.ts';

export async function endCardRequest(
  cardId: string,
  { state, error }: Stopped,
  { payments, now }: EndDeps,
): Promise<void> {
  const code: FailureCode = state === 'RetrieveTransaction' ? 'TRANSACTION_NOT_FOUND' : 'TOKENIZATION_UNAVAILABLE';
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
