/**
 * Reconciles every item that is due, every five minutes: events that were not published, flows that died, sales, charges
 * and RF orders whose outcome is not known, messages and deliveries whose function was not invoked. It is the safety under
 * everything that is quicker. What is due of one merchant goes to one invocation, which reads the lists of its days once.
 *
 * Safe to run twice and at the same time: it only says what is due, and whoever looks claims it first, by the conditional
 * write that makes it due later. So what stops there is said again.
 */
import * as z from 'zod/mini';
import type { Nudge } from '../../../shared/aws/wake.ts';
import type { Step } from '../../../shared/flow/step.ts';
import type { Due, Payments } from '../../../shared/payments/store.ts';

const input = z.looseObject({});
const output = z.strictObject({ due: z.int() });

const PAGE = 100;
/** In one run: what more is due has waited long, and waits for the next. */
const AT_MOST = 1_000;
const AT_ONCE = 10;
/** Of one merchant, in one invocation. */
const TOGETHER = 100;

export interface ReconcileDeps {
  readonly payments: Pick<Payments, 'due'>;
  /** By the function that is told. */
  readonly lookAgain: Nudge<{ readonly due: readonly Pick<Due, 'kind' | 'id'>[] }>;
  readonly readDays: Nudge;
  readonly actOnWebhook: Nudge;
  readonly deliverAnnouncement: Nudge;
}

export const reconcile: Step<typeof input, typeof output, ReconcileDeps> = {
  name: 'reconcile',
  input,
  output,
  logged: () => ({}),
  run: async (_, deps) => {
    const due = await allDue(deps);
    const nudges = nudgesFor(due, deps);
    const failures: unknown[] = [];
    for (let start = 0; start < nudges.length; start += AT_ONCE) {
      const told = await Promise.allSettled(nudges.slice(start, start + AT_ONCE).map((nudge) => nudge()));
      failures.push(...told.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])));
    }
    if (failures.length > 0) {
      throw failures[0]; // after everything else was told: it is due again at the next run
    }
    return { due: due.length };
  },
};

async function allDue({ payments }: ReconcileDeps): Promise<readonly Due[]> {
  const due: Due[] = [];
  let page: readonly Due[];
  do {
    page = await payments.due(PAGE, due.at(-1));
    due.push(...page);
  } while (page.length > 0 && due.length < AT_MOST);
  return due;
}

function nudgesFor(due: readonly Due[], deps: ReconcileDeps): readonly (() => Promise<void>)[] {
  const { lookAgain, readDays, actOnWebhook, deliverAnnouncement } = deps;
  const byMerchant = new Map<string, Pick<Due, 'kind' | 'id'>[]>();
  const nudges: (() => Promise<void>)[] = [];
  for (const { kind, id, merchantId } of due) {
    if (kind === 'message') {
      nudges.push(() => actOnWebhook({ subject: id }));
    } else if (kind === 'delivery') {
      nudges.push(() => deliverAnnouncement({ deliveryId: id }));
    } else if (kind === 'account') {
      nudges.push(() => readDays({ merchantId: id }));
    } else {
      byMerchant.set(merchantId, [...(byMerchant.get(merchantId) ?? []), { kind, id }]);
    }
  }
  for (const items of byMerchant.values()) {
    for (let start = 0; start < items.length; start += TOGETHER) {
      nudges.push(() => lookAgain({ due: items.slice(start, start + TOGETHER) }));
    }
  }
  return nudges;
}
