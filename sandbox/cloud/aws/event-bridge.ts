/** EventBridge's PutEvents: each entry succeeds or fails on its own, so a caller has to check the answer. */

import type { EventBuses } from '../events/buses.ts';
import { AwsError } from '../seams.ts';
import type { AwsService } from './service.ts';

interface Entry {
  readonly EventBusName?: string;
  readonly Source?: string;
  readonly DetailType?: string;
  readonly Detail?: string;
  readonly Resources?: readonly string[];
}

export function eventBridgeService(buses: EventBuses): AwsService {
  return ({ operation, input, authorize }) => {
    if (operation !== 'PutEvents') {
      throw new AwsError('UnknownOperationException', `the local cloud does not know ${operation} of event buses`);
    }
    const entries = (input['Entries'] ?? []) as readonly Entry[];
    if (entries.length < 1 || entries.length > 10) {
      throw new AwsError('ValidationException', 'Entries must have between 1 and 10 items');
    }
    for (const bus of new Set(entries.map(({ EventBusName = 'default' }) => buses.arnOf(EventBusName)))) {
      authorize({ action: 'events:PutEvents', resource: bus });
    }
    const results = entries.map((entry) => put(buses, entry));
    return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
  };
}

function put(buses: EventBuses, { EventBusName = 'default', Source, DetailType, Detail, Resources = [] }: Entry) {
  if (Source === undefined || DetailType === undefined || Detail === undefined) {
    return { ErrorCode: 'InvalidArgument', ErrorMessage: 'Source, DetailType and Detail are required' };
  }
  try {
    const detail = JSON.parse(Detail) as unknown;
    return {
      EventId: buses.publish(EventBusName, { source: Source, detailType: DetailType, detail, resources: Resources }),
    };
  } catch {
    return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  }
}
