/** Ends a request to store a card (POST /cards) that came to nothing. */
import type { FailureCode } from '../../../shared/failures.ts';
import { appended, entry } from '../../../shared/timeline.ts';
import type { Caught, RecordFailureDeps } from './step.ts';

export async function closeCard(
  cardId: string,
  { state, error }: Caught,
  { payments, now }: RecordFailureDeps,
): Promise<void> {
  const code: FailureCode = state === 'CreateCardToken' ? 'TOKENIZATION_UNAVAILABLE' : 'TRANSACTION_NOT_FOUND';
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
