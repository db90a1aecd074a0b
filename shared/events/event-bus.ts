/** Puts events on the event bus of the stack. The bus may accept some events of a call and refuse others. */
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { TransientError } from '../flow/errors.ts';
import type { CloudEvent } from './cloud-event.ts';

/**
 * Resolves when the bus has accepted all events. Throws a TransientError EVENTS_NOT_TAKEN otherwise; then all may be sent
 * again.
 */
export type PutEvents = (events: readonly CloudEvent[]) => Promise<void>;

const BATCH_SIZE = 10;

export function createPutEvents(client: EventBridgeClient, busName: string): PutEvents {
  return async (events) => {
    for (let start = 0; start < events.length; start += BATCH_SIZE) {
      const { FailedEntryCount } = await client.send(
        new PutEventsCommand({
          Entries: events.slice(start, start + BATCH_SIZE).map((event) => ({
            EventBusName: busName,
            Source: event.source,
            DetailType: event.type,
            Detail: JSON.stringify(event),
          })),
        }),
      );
      if (FailedEntryCount !== 0) {
        throw new TransientError('EVENTS_NOT_TAKEN', 'the event bus did not take every event');
      }
    }
  };
}
