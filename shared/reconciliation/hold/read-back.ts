/**
 * Finds the outcome of a capture or a void that was sent and not answered, by reading the hold and its children. Safe
 * to run twice and beside the execution: it reads, and the write is decided on the item as it is then.
 */
import { FaultError, UnknownOutcomeError } from '../../flow/errors.ts';
import { accountOf } from '../../payments/existing.ts';
import type { Charge } from '../../payments/items/charge.ts';
import type { TransactionRecord, Viva } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { keepingDays, merged, searchTransactions } from '../records/search.ts';
import { isUnknownForADay, judgedHold, mayComeLate } from './judgement.ts';
import { type HoldQuestion, holdQuestion, holdSeen, isSameQuestion } from './records.ts';

/** Resolves to the charge after that. Throws an UnknownOutcomeError while the platform cannot be read. */
export async function readBackHold(charge: Charge, deps: ReconciliationDeps): Promise<Charge> {
  const { payments, vivaFor, remainingMs, now } = deps;
  const question = holdQuestion(charge);
  if (question === undefined) {
    return charge;
  }
  const account = await accountOf(payments, charge);
  const viva = keepingDays(vivaFor)(account, remainingMs);
  const records = await read(charge, question, viva, now()).catch((error: unknown) => {
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

/** Reads the hold by its id, and the transactions of its order as soon as they can prove anything. */
async function read(
  charge: Charge,
  question: HoldQuestion,
  viva: Viva,
  at: number,
): Promise<readonly TransactionRecord[]> {
  // mutant logic: a hold without its transaction has no open question
  const { record } = await viva.readTransaction(charge.transactionId ?? '');
  if (record.statusId === 'F' && mayComeLate(question, at)) {
    return [record];
  }
  const listed = record.orderCode === undefined ? [] : (await viva.listOrderTransactions(record.orderCode)).records;
  const records = merged(listed, [record]);
  if (question.of !== 'capture' || holdSeen(charge, records).is !== 'hidden') {
    return records;
  }
  // A capture with another order than its hold is found by its own reference or by the hold's.
  const { capture, sentAt } = question;
  const named = await searchTransactions(viva, capture.captureId, sentAt);
  const unnamed = await searchTransactions(viva, charge.chargeId, sentAt);
  return merged(named, unnamed, [record]);
}
