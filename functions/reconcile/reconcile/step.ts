/**
 * Has everything that is due looked at, every five minutes: announcements nobody heard of, flows that died, sales and
 * charges and RF orders whose outcome is not known, messages and deliveries whose function was not told. It is the safety
 * under everything that is quicker.
 *
 * Safe to run twice and at the same time: it only says what is due, and whoever looks claims it first, by the conditional
 * write that makes it due later. So what stops there is said again.
 */
import * as z from 'zod/mini';
import type { Nudge } from '../../../shared/nudge.ts';
import type { Due, Payments } from '../../../shared/payments.ts';
import type { Step } from '../../../shared/step.ts';

const input = z.looseObject({});
const output = z.strictObject({ due: z.int() });

const PAGE = 100;
/** In one run: what more is due has waited long, and waits for the next. */
const AT_MOST = 1_000;
const AT_ONCE = 10;

export interface ReconcileDeps {
  readonly payments: Pick<Payments, 'due'>;
  /** By the function that is told. */
  readonly lookAgain: Nudge;
  readonly actOnWebhook: Nudge;
  readonly deliverAnnouncement: Nudge;
}

export const reconcile: Step<typeof input, typeof output, ReconcileDeps> = {
  name: 'reconcile',
  input,
  output,
  logged: () => ({}),
  run: async (_, deps) => {
    let count = 0;
    const failures: unknown[] = [];
    let last: Due | undefined;
    do {
      const page = await deps.payments.due(PAGE, last);
      for (let start = 0; start < page.length; start += AT_ONCE) {
        const told = await Promise.allSettled(page.slice(start, start + AT_ONCE).map((due) => tell(due, deps)));
        failures.push(...told.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])));
      }
      count += page.length;
      last = page.at(-1);
    } while (last !== undefined && count < AT_MOST);
    if (failures.length > 0) {
      throw failures[0]; // after everything else was told: it is due again at the next run
    }
    return { due: count };
  },
};

function tell({ kind, id }: Due, { lookAgain, actOnWebhook, deliverAnnouncement }: ReconcileDeps): Promise<void> {
  switch (kind) {
    case 'account':
      return Promise.resolve();
    case 'message':
      return actOnWebhook({ subject: id });
    case 'delivery':
      return deliverAnnouncement({ deliveryId: id });
    default:
      return lookAgain({ kind, id });
  }
}
