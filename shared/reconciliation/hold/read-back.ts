/**
 * Reads back what became of a capture or a void that was sent and not answered, from the hold and its children. Running
 * twice, or beside the flow, is safe: it reads, and what it writes is decided by what the item is then.
 */
import { FaultError, UnknownOutcomeError } from '../../flow/errors.ts';
import { accountOf } from '../../payments/existing.ts';
import type { Charge } from '../../payments/items.ts';
import type { Platform, TransactionRecord } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { keepingDays, merged, searchTransactions } from '../records/search.ts';
import { isUnknownForADay, judgedHold, mayComeLate } from './judgement.ts';
import { type HoldQuestion, holdQuestion, holdSeen, isSameQuestion } from './records.ts';

/** Resolves to the charge as it is then. Throws an UnknownOutcomeError while the platform cannot be read. */
export async function readBackHold(charge: Charge, deps: ReconciliationDeps): Promise<Charge> {
  const { payments, platformFor, remainingMs, now } = deps;
  const question = holdQuestion(charge);
  if (question === undefined) {
    return charge;
  }
  const account = await accountOf(payments, charge);
  const platform = keepingDays(platformFor)(account, remainingMs);
  const records = await read(charge, question, platform, now()).catch((error: unknown) => {
    if (isUnknownForADay(question, now())) {
      return [];
    }
    throw error instanceof FaultError
      ? error
      : new UnknownOutcomeError('NOT_READ_BACK', 'the hold could not be read', { cause: error });
  });
  return payments.change('charge', charge.chargeId, (item) =>
    isSameQuestion(holdQuestion(item), question)
      ? judgedHold(item, question, holdSeen(item, records), now())
      : undefined,
  );
}

/** The hold by its id, and whatever is of its order, as soon as that can tell anything. */
async function read(
  charge: Charge,
  question: HoldQuestion,
  platform: Platform,
  at: number,
): Promise<readonly TransactionRecord[]> {
  // mutant logic: a hold without its transaction has no question to be read about
  const { record } = await platform.readTransaction(charge.transactionId ?? '');
  if (record.statusId === 'F' && mayComeLate(question, at)) {
    return [record];
  }
  const listed = record.orderCode === undefined ? [] : (await platform.listOrderTransactions(record.orderCode)).records;
  const records = merged(listed, [record]);
  if (question.of !== 'capture' || holdSeen(charge, records).is !== 'hidden') {
    return records;
  }
  // A capture that is not of the order of its hold is found by its reference, or by the hold's.
  const { capture, sentAt } = question;
  const named = await searchTransactions(platform, capture.captureId, sentAt);
  const unnamed = await searchTransactions(platform, charge.chargeId, sentAt);
  return merged(named, unnamed, [record]);
}
