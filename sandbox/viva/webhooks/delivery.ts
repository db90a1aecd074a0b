/**
 * Delivers webhooks: each message once an hour until it is answered with 2xx. A fault may double, delay, reorder or
 * lose it. The order is not guaranteed.
 */
import type { Account } from '../books/accounts.ts';
import type { Fault } from '../http/faults.ts';
import { later, type Simulator } from '../simulator.ts';
import type { Message } from './message.ts';
import { deliver, isVerified, newMessage } from './post.ts';
import { recipientOf } from './recipients.ts';

const HOUR_MS = 3_600_000;
const OVERTAKEN_MS = 2000;

/** Queues a message about an account, if its recipient has registered an address for the event. */
export function emit(sim: Simulator, account: Account, eventTypeId: number, eventData: unknown, delayMs: number): void {
  const recipient = recipientOf(account, eventTypeId);
  if (sim.recipients.find(recipient, eventTypeId) === undefined) {
    return;
  }
  const message = newMessage(sim, recipient, eventTypeId, eventData);
  sim.books.messages.set(message.messageId, message);
  schedule(sim, message, delayMs, sim.faults.strikeWebhook(`/${recipient}/${eventTypeId}`, account.merchantId));
}

function schedule(sim: Simulator, message: Message, delayMs: number, fault: Fault | undefined): void {
  const deliverAfter = (extraMs: number) =>
    later(sim, delayMs + extraMs, () => void sim.clock.track(deliverUntilTaken(sim, message)));
  const faultDelayMs = (seconds: number) => (fault?.delaySeconds ?? seconds) * 1000;
  switch (fault?.name) {
    case 'lost_webhook':
      break;
    case 'early_webhook':
      sim.early.push(sim.clock.track(deliverUntilTaken(sim, message)));
      break;
    case 'duplicate_webhook':
      deliverAfter(0);
      later(sim, delayMs + faultDelayMs(0), () => void sim.clock.track(deliver(sim, message)));
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

async function deliverUntilTaken(sim: Simulator, message: Message): Promise<void> {
  const status = await verifiedDelivery(sim, message);
  const taken = status !== null && status >= 200 && status < 300;
  if (!taken && message.attempts.length < sim.switches.get('webhookRetries')) {
    later(sim, HOUR_MS, () => void sim.clock.track(deliverUntilTaken(sim, message)));
  }
}

async function verifiedDelivery(sim: Simulator, message: Message): Promise<number | null> {
  if (await isVerified(sim, message.recipient, message.eventTypeId)) {
    return deliver(sim, message);
  }
  message.attempts.push({ at: new Date(sim.clock.now()).toISOString(), status: null });
  return null;
}
