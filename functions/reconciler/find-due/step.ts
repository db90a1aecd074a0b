/**
 * Reconciles every item that is due, every five minutes: events that were not published, flows that died, sales, charges
 * and RF orders whose outcome is not known, messages and deliveries whose function was not invoked. It is the safety under
 * everything that is quicker. What is due of one merchant goes to one invocation, which reads the lists of its days once.
 *
 * Safe to run twice and at the same time: it only says what is due, and whoever looks claims it first, by the conditional
 * write that makes it due later. So what stops there is said again.
 */
import * as z from 'zod/mini';
import type { Wake } from '../../../shared/aws/wake.ts';
import type { Step } from '../../../shared/flow/step.ts';
import type { Due } from '../../../shared/payments/queries.ts';
import type { Payments } from '../../../shared/payments/store.ts';

const input = z.looseObject({});
const output = z.strictObject({ due: z.int() });

/** In one run: what more is due has waited long, and waits for the next. */
const AT_MOST = 1_000;
const AT_ONCE = 10;
/** Of one merchant, in one invocation. */
const TOGETHER = 100;

export interface FindDueDeps {
  readonly payments: Pick<Payments, 'due'>;
  /** By the function that is woken. */
  readonly reconcileDue: Wake<{ readonly due: readonly Pick<Due, 'kind' | 'id'>[] }>;
  readonly readDailyLists: Wake;
  readonly actOnWebhook: Wake;
  readonly deliverEvent: Wake;
}

export const findDue: Step<typeof input, typeof output, FindDueDeps> = {
  name: 'find-due',
  input,
  output,
  logged: () => ({}),
  run: async (_, deps) => {
    const due = await deps.payments.due(AT_MOST);
    const wakes = wakesFor(due, deps);
    const failures: unknown[] = [];
    for (let start = 0; start < wakes.length; start += AT_ONCE) {
      const results = await Promise.allSettled(wakes.slice(start, start + AT_ONCE).map((wake) => wake()));
      failures.push(...results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])));
    }
    if (failures.length > 0) {
      throw failures[0]; // after all others were invoked: it is due again at the next run
    }
    return { due: due.length };
  },
};

function wakesFor(due: readonly Due[], deps: FindDueDeps): readonly (() => Promise<void>)[] {
  const { reconcileDue, readDailyLists, actOnWebhook, deliverEvent } = deps;
  const byMerchant = new Map<string, Pick<Due, 'kind' | 'id'>[]>();
  const wakes: (() => Promise<void>)[] = [];
  for (const { kind, id, merchantId } of due) {
    if (kind === 'inbox') {
      wakes.push(() => actOnWebhook({ subject: id }));
    } else if (kind === 'delivery') {
      wakes.push(() => deliverEvent({ deliveryId: id }));
    } else if (kind === 'account') {
      wakes.push(() => readDailyLists({ merchantId: id }));
    } else {
      byMerchant.set(merchantId, [...(byMerchant.get(merchantId) ?? []), { kind, id }]);
    }
  }
  for (const items of byMerchant.values()) {
    for (let start = 0; start < items.length; start += TOGETHER) {
      wakes.push(() => reconcileDue({ due: items.slice(start, start + TOGETHER) }));
    }
  }
  return wakes;
}
