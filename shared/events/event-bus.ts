/** The event bus of the stack. Each entry of a call is taken or refused for itself, so the answer has to be looked at. */
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { TransientError } from '../flow/errors.ts';
import type { CloudEvent } from './cloud-event.ts';

/** Resolves when all were taken; after anything else all may be sent again. */
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
