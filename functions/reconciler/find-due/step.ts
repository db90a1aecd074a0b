/**
 * Runs every five minutes and invokes the right function for every due item: unpublished events, failed executions,
 * unknown outcomes, webhooks and deliveries whose function was not invoked. It covers everything that a faster path
 * missed. The due items of one merchant go to one invocation, which reads each daily list once.
 *
 * Safe to run twice and concurrently: it only passes on keys. The invoked function claims an item by the conditional
 * write that makes it due later, so an interrupted item is due again.
 */
import * as z from 'zod/mini';
import type { Wake } from '../../../shared/aws/wake.ts';
import type { Step } from '../../../shared/flow/step.ts';
import type { Due } from '../../../shared/payments/queries.ts';
import type { Payments } from '../../../shared/payments/store.ts';

const input = z.looseObject({});
const output = z.strictObject({ due: z.int() });

/** The limit of one run; the remaining items wait for the next one. */
const AT_MOST = 1_000;
const AT_ONCE = 10;
/** The limit of one invocation for one merchant. */
const TOGETHER = 100;

export interface FindDueDeps {
  readonly payments: Pick<Payments, 'due'>;
  /** By the function that is invoked. */
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
      throw failures[0]; // After all others were invoked: the failed ones are due again at the next run.
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
