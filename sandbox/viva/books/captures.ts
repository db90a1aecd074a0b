/** The rules for capturing a hold. They are the same on every path, but each path words its refusals differently. */

import type { Simulator } from '../simulator.ts';
import type { Account } from './accounts.ts';
import { capture } from './money.ts';
import { TRANSACTION_TYPE, type Transaction } from './transactions.ts';

export interface CaptureDraft {
  readonly account: Account;
  readonly amount: number;
  readonly isvAmount: number;
  readonly merchantTrns?: string;
}

export type CaptureRefusal = 'disabled' | 'not_open' | 'expired' | 'above_hold';

const DAY_MS = 86_400_000;

export function captureHold(sim: Simulator, preauth: Transaction, draft: CaptureDraft): Transaction | CaptureRefusal {
  if (!draft.account.rights.allowCaptures) {
    return 'disabled';
  }
  const again = preauth.statusId === 'C' && sim.switches.get('partialCaptures') === 'several';
  if (preauth.typeId !== TRANSACTION_TYPE.preauth || !(preauth.statusId === 'F' || again)) {
    return 'not_open';
  }
  if (sim.clock.now() - preauth.atMs > sim.switches.get('captureWindowDays') * DAY_MS) {
    return 'expired';
  }
  const left = preauth.amount - preauth.capturedAmount;
  if (draft.amount > left && sim.switches.get('overCapture') === 'refused') {
    return 'above_hold';
  }
  return capture(sim, preauth, draft);
}
