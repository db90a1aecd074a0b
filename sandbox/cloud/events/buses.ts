/** The event buses: they keep what was published for tests, and pass it to the functions of matching rules. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { RecentList } from '../../recent.ts';
import type { FunctionHost } from '../seams.ts';
import type { Stack } from '../template.ts';
import { checkPattern, matches, type Pattern } from './pattern.ts';
import { functionTarget, invokeTargets, type Target, type TargetProperties } from './targets.ts';

interface OutgoingEvent {
  readonly source: string;
  readonly detailType: string;
  readonly detail: unknown;
  readonly resources: readonly string[];
}

const MAX_EVENTS = 20_000;

interface RecordedEvent extends OutgoingEvent {
  readonly id: string;
  readonly at: string;
  readonly bus: string;
}

export interface EventBuses {
  arnOf(busNameOrArn: string): string;
  /** Returns the event's id. */
  publish(busNameOrArn: string, event: OutgoingEvent): string;
  /** The newest events published on the stack's own buses. */
  readonly recorded: RecentList<RecordedEvent>;
  clear(): void;
}

interface BusRule {
  readonly busArn: string;
  readonly pattern: Pattern;
  readonly targets: readonly Target[];
}

interface RuleProperties {
  readonly EventBusName?: string;
  readonly EventPattern?: Pattern;
  readonly State?: 'ENABLED' | 'DISABLED';
  readonly Targets?: readonly TargetProperties[];
}

interface BusDeps {
  readonly stack: Stack;
  readonly clock: Clock;
  readonly functions: FunctionHost;
  readonly authorizeService: (functionArn: string, service: string, sourceArn: string) => void;
}

export function createEventBuses({ stack, clock, functions, authorizeService }: BusDeps): EventBuses {
  const arnOf = (name: string) =>
    name.startsWith('arn:') ? name : `arn:aws:events:${stack.region}:${stack.account}:event-bus/${name}`;
  const rules: BusRule[] = [];
  for (const [logicalId, { properties }] of stack.ofType('AWS::Events::Rule')) {
    const { EventBusName = 'default', EventPattern, State = 'ENABLED', Targets = [] } = properties as RuleProperties;
    if (EventPattern === undefined || State === 'DISABLED') {
      continue;
    }
    checkPattern(EventPattern);
    const targets = Targets.map(functionTarget);
    for (const { functionArn } of targets) {
      authorizeService(functionArn, 'events.amazonaws.com', stack.attribute(logicalId, 'Arn'));
    }
    rules.push({ busArn: arnOf(EventBusName), pattern: EventPattern, targets });
  }
  const recorded = new RecentList<RecordedEvent>(MAX_EVENTS);

  return {
    arnOf,
    publish(busNameOrArn, event) {
      const bus = arnOf(busNameOrArn);
      const id = randomUUID();
      const at = new Date(clock.now()).toISOString();
      if (!bus.endsWith(':event-bus/default')) {
        recorded.add({ id, at, bus: bus.slice(bus.indexOf('/') + 1), ...event });
      }
      const wire = {
        version: '0',
        id,
        'detail-type': event.detailType,
        source: event.source,
        account: stack.account,
        time: at,
        region: stack.region,
        resources: event.resources,
        detail: event.detail,
      };
      for (const { busArn, pattern, targets } of rules) {
        if (busArn === bus && matches(pattern, wire)) {
          invokeTargets(functions, targets, wire);
        }
      }
      return id;
    },
    recorded,
    clear: () => recorded.clear(),
  };
}
