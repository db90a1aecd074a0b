/** What must hold for every single write of an item, whoever makes it. The rules are written here a second time. */
import type { Json } from '../../till.ts';
import type { Violation } from './at-rest.ts';
import type { Invariant } from './invariants.ts';

/** What an item keeps once it has it. */
const KEPT = ['merchantId', 'amount', 'currency', 'ctokRef', 'requestHash', 'createdAt', 'orderCode', 'rfCode'];

export function violationsOfWrite(before: Json | undefined, after: Json | undefined): Violation[] {
  const pk: string = (after ?? before).pk;
  const violations: Violation[] = [];
  const say = (invariant: Invariant, what: string) => violations.push({ invariant, id: pk, what });
  const kind = pk.slice(0, pk.indexOf('#'));
  if (!['sale', 'charge', 'rf-order', 'card'].includes(kind)) {
    return [];
  }
  if (after === undefined) {
    say('writesKeep', 'was deleted');
  } else if (before !== undefined) {
    keepsWhatItHas(before, after, say);
  }
  return violations;
}

function keepsWhatItHas(before: Json, after: Json, say: (invariant: Invariant, what: string) => void): void {
  for (const name of KEPT) {
    if (before[name] !== undefined && before[name] !== after[name]) {
      say('writesKeep', `changed its ${name} from ${before[name]} to ${after[name]}`);
    }
  }
  if (after.revision !== before.revision && after.revision !== before.revision + 1) {
    say('writesKeep', `went from revision ${before.revision} to ${after.revision}`);
  }
  for (const capture of before.captures ?? []) {
    const kept = after.captures?.find((one: Json) => one.captureId === capture.captureId);
    if (kept === undefined || (capture.status === 'done' && kept.status !== 'done')) {
      say('writesKeep', `lost the capture ${capture.captureId}, which was ${capture.status}`);
    }
  }
  for (const payment of before.payments ?? []) {
    if (!after.payments?.some((one: Json) => one.transactionId === payment.transactionId)) {
      say('writesKeep', `lost the payment ${payment.transactionId}`);
    }
  }
  const shared = Math.min(before.timeline?.length ?? 0, 3);
  if (JSON.stringify(before.timeline?.slice(0, shared)) !== JSON.stringify(after.timeline?.slice(0, shared))) {
    say('writesKeep', 'rewrote its timeline');
  }
  if (before.sealed === true && before.ctokRef === undefined && after.ctokRef !== undefined) {
    say('chargedOnce', 'took a charge token after it was sealed');
  }
  if ((before.outbox?.length ?? 0) > 0 && after.outbox === undefined && after.status !== before.status) {
    say('publishedOnce', 'changed its status and dropped its events in one write');
  }
}
