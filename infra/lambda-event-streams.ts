/** Replaces the event streams of the AWS clients in every bundle. No call of ours uses one, and they would add 15 kB. */
export class EventStreamSerde {
  constructor() {
    throw new Error('event streams are not in the bundle: see infra/lambda-event-streams.ts');
  }
}

export const eventStreamSerdeProvider = () => new EventStreamSerde();

export const resolveEventStreamSerdeConfig = <T>(config: T): T => config;
