/** The event bus of the stack. It takes or refuses each entry of a call separately, so the answer must be checked. */
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { TransientError } from '../flow/errors.ts';
import type { CloudEvent } from './cloud-event.ts';

/** Resolves when all entries were taken. After a failure all may be sent again. */
export type PutEvents = (events: readonly CloudEvent[]) => Promise<void>;

const AT_ONCE = 10;

export function createPutEvents(client: EventBridgeClient, busName: string): PutEvents {
  return async (events) => {
    for (let start = 0; start < events.length; start += AT_ONCE) {
      const { FailedEntryCount } = await client.send(
        new PutEventsCommand({
          Entries: events.slice(start, start + AT_ONCE).map((event) => ({
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
