/**
 * Rules and schedules that run at a rate, on the virtual clock. While the clock is advanced by hours they run once an hour,
 * so that a day takes less than a second; in the last hours they run at their own rate.
 */
import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../../clock.ts';
import type { FunctionHost } from '../seams.ts';
import type { Stack } from '../template.ts';
import { functionTarget, invokeTargets, type Target, type TargetProperties } from './targets.ts';

const HOUR_MS = 3_600_000;
/** What is left of an advance when schedules return to their own rate. */
const LAST_MS = 3 * HOUR_MS;

export interface Schedules {
  /** Runs every schedule's function now; resolves once they and everything that they caused are done. */
  runNow(): Promise<void>;
  /** Restarts the schedules as if they had just been deployed. */
  restart(): void;
  stop(): void;
}

interface Schedule {
  readonly arn: string;
  readonly everyMs: number;
  readonly targets: readonly Target[];
}

interface ScheduleDeps {
  readonly stack: Stack;
  readonly clock: Clock;
  readonly functions: FunctionHost;
  readonly authorizeService: (functionArn: string, service: string, sourceArn: string) => void;
  readonly authorizeInvoke: (roleArn: string, functionArn: string) => void;
}

export function startSchedules(deps: ScheduleDeps): Schedules {
  const { stack, clock, functions } = deps;
  const schedules = [...ruleSchedules(deps), ...schedulerSchedules(deps)];
  const timers = new Set<Timer>();

  const eventOf = ({ arn }: Schedule) => ({
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: stack.account,
    time: new Date(clock.now()).toISOString(),
    region: stack.region,
    resources: [arn],
    detail: {},
  });
  const arm = (schedule: Schedule) => {
    const atLeastMs = Math.min(HOUR_MS, clock.leftToAdvanceMs - LAST_MS);
    const timer = clock.schedule(Math.max(schedule.everyMs, atLeastMs), () => {
      timers.delete(timer);
      invokeTargets(functions, schedule.targets, eventOf(schedule));
      arm(schedule);
    });
    timers.add(timer);
  };
  const stop = () => {
    for (const timer of timers) {
      timer.cancel();
    }
    timers.clear();
  };
  schedules.forEach(arm);

  return {
    async runNow() {
      const runs = schedules.flatMap((schedule) =>
        schedule.targets.map(({ functionArn, payload }) =>
          functions.invoke(functionArn, payload(eventOf(schedule)), { tracked: true }),
        ),
      );
      await Promise.all(runs);
      await clock.advance(clock.now());
    },
    restart() {
      stop();
      schedules.forEach(arm);
    },
    stop,
  };
}

function ruleSchedules({ stack, authorizeService }: ScheduleDeps): Schedule[] {
  const schedules: Schedule[] = [];
  for (const [logicalId, { properties }] of stack.ofType('AWS::Events::Rule')) {
    const { ScheduleExpression, State, Targets } = properties as {
      readonly ScheduleExpression?: string;
      readonly State?: string;
      readonly Targets?: readonly TargetProperties[];
    };
    if (ScheduleExpression === undefined || State === 'DISABLED') {
      continue;
    }
    const arn = stack.attribute(logicalId, 'Arn');
    const targets = (Targets ?? []).map(functionTarget);
    for (const { functionArn } of targets) {
      authorizeService(functionArn, 'events.amazonaws.com', arn);
    }
    schedules.push({ arn, everyMs: rateMs(ScheduleExpression), targets });
  }
  return schedules;
}

function schedulerSchedules({ stack, authorizeInvoke }: ScheduleDeps): Schedule[] {
  const schedules: Schedule[] = [];
  for (const [logicalId, { properties }] of stack.ofType('AWS::Scheduler::Schedule')) {
    const { ScheduleExpression, State, Target } = properties as {
      readonly ScheduleExpression: string;
      readonly State?: string;
      readonly Target: TargetProperties & { readonly RoleArn: string };
    };
    if (State === 'DISABLED') {
      continue;
    }
    const target = functionTarget(Target);
    authorizeInvoke(Target.RoleArn, target.functionArn);
    const arn = stack.attribute(logicalId, 'Arn');
    schedules.push({ arn, everyMs: rateMs(ScheduleExpression), targets: [target] });
  }
  return schedules;
}

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

export function rateMs(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (count === undefined) {
    throw new Error(`the local cloud does not know the schedule ${expression}`);
  }
  return Number(count) * unitMs[unit]!;
}
