/**
 * Delivers webhooks: each one once an hour until it is answered with 2xx. A fault may double, delay, reorder or lose
 * it. The order is not guaranteed.
 */
import type { Account } from '../books/accounts.ts';
import type { Fault } from '../http/faults.ts';
import { later, type Simulator } from '../simulator.ts';
import { deliver, isVerified, newWebhook } from './post.ts';
import { recipientOf } from './recipients.ts';
import type { Webhook } from './webhook.ts';

const HOUR_MS = 3_600_000;
const OVERTAKEN_MS = 2000;

/** Queues a webhook about an account, if its recipient has registered an address for the type. */
export function queueWebhook(
  sim: Simulator,
  account: Account,
  eventTypeId: number,
  eventData: unknown,
  delayMs: number,
): void {
  const recipient = recipientOf(account, eventTypeId);
  if (sim.recipients.find(recipient, eventTypeId) === undefined) {
    return;
  }
  const webhook = newWebhook(sim, recipient, eventTypeId, eventData);
  sim.books.webhooks.set(webhook.messageId, webhook);
  schedule(sim, webhook, delayMs, sim.faults.strikeWebhook(`/${recipient}/${eventTypeId}`, account.merchantId));
}

function schedule(sim: Simulator, webhook: Webhook, delayMs: number, fault: Fault | undefined): void {
  const deliverAfter = (extraMs: number) =>
    later(sim, delayMs + extraMs, () => void sim.clock.track(deliverUntilTaken(sim, webhook)));
  const faultDelayMs = (seconds: number) => (fault?.delaySeconds ?? seconds) * 1000;
  switch (fault?.name) {
    case 'lost_webhook':
      break;
    case 'early_webhook':
      sim.early.push(sim.clock.track(deliverUntilTaken(sim, webhook)));
      break;
    case 'duplicate_webhook':
      deliverAfter(0);
      later(sim, delayMs + faultDelayMs(0), () => void sim.clock.track(deliver(sim, webhook)));
      break;
    case 'reordered_webhook':
      deliverAfter(OVERTAKEN_MS);
      break;
    case 'delayed_webhook':
      deliverAfter(faultDelayMs(3600));
      break;
    default:
      deliverAfter(0);
  }
}

async function deliverUntilTaken(sim: Simulator, webhook: Webhook): Promise<void> {
  const status = await deliverIfVerified(sim, webhook);
  const taken = status !== null && status >= 200 && status < 300;
  if (!taken && webhook.attempts.length < sim.switches.get('webhookRetries')) {
    later(sim, HOUR_MS, () => void sim.clock.track(deliverUntilTaken(sim, webhook)));
  }
}

/** An address that is not verified counts as an attempt without an answer. */
async function deliverIfVerified(sim: Simulator, webhook: Webhook): Promise<number | null> {
  if (await isVerified(sim, webhook.recipient, webhook.eventTypeId)) {
    return deliver(sim, webhook);
  }
  webhook.attempts.push({ at: new Date(sim.clock.now()).toISOString(), status: null });
  return null;
}
