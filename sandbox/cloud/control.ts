/** The control API of the local cloud, `/_cloud`: what tests can see of it from outside, and the faults that they can inject. */
import { Hono } from 'hono';
import * as z from 'zod';
import { json, Problem, problem, queryNumber, readBody, readQuery } from '../viva/control/problem.ts';
import type { EventBuses } from './events/buses.ts';
import type { Schedules } from './events/schedules.ts';
import { faultKinds } from './functions/faults.ts';
import type { FunctionRuntime } from './functions/runtime.ts';
import type { Logs } from './logs.ts';
import type { ExecutionDescription, HistoryEvent, StatesService } from './seams.ts';

export interface ControlDeps {
  /** The prefix of the names of the stack's resources; may be left out in a path. */
  readonly stackName: string;
  readonly functions: FunctionRuntime;
  readonly states: StatesService;
  readonly schedules: Schedules;
  readonly buses: EventBuses;
  readonly logs: Logs;
  readonly tableNames: readonly string[];
  /** All items of a table, in plain JSON. */
  readonly items: (tableName: string) => Promise<readonly object[]>;
  readonly secretNames: () => readonly string[];
  readonly putSecret: (name: string, value: string) => void;
  /** DynamoDB writes on behalf of an execution. */
  readonly writesOf: (executionName: string) => number;
}

const faultBody = z.strictObject({
  kind: z.enum(faultKinds),
  afterCall: z.int().nonnegative().default(0),
  times: z.int().min(1).default(1),
});
const secretBody = z.strictObject({ value: z.union([z.string(), z.looseObject({})], 'must be a string or an object') });
const logsQuery = z.strictObject({ after: queryNumber });

export function controlRoutes(deps: ControlDeps): Hono {
  const { functions, states, schedules, buses, logs } = deps;
  const app = new Hono().basePath('/_cloud');
  app.onError((error) => {
    if (error instanceof Problem) {
      return error.response;
    }
    throw error;
  });

  const summary = (execution: ExecutionDescription) => ({
    name: execution.name,
    status: execution.status,
    startDate: new Date(execution.startDate).toISOString(),
    ...(execution.stopDate !== undefined && { stopDate: new Date(execution.stopDate).toISOString() }),
    transitions: states.transitions(execution.executionArn),
    writes: deps.writesOf(execution.name),
  });
  /** A resource by its full name, or by the part after the stack's prefix. */
  const oneOf = (names: readonly string[], given: string, what: string): string => {
    const name = names.find((name) => name === given || name === `${deps.stackName}-${given}`);
    if (name === undefined) {
      throw new Problem(400, `There is no ${what} ${given}.`, { valid: names });
    }
    return name;
  };

  app.get('/executions', () => json({ executions: states.listExecutions().map(summary) }));
  app.get('/executions/:name', (c) => {
    const execution = states.listExecutions().find(({ name }) => name === c.req.param('name'));
    return execution === undefined
      ? problem(404, 'There is no such execution.')
      : json({
          ...summary(execution),
          history: states.history(execution.executionArn).map(dated),
          historyDropped: states.historyDropped(execution.executionArn),
        });
  });

  app.post('/functions/:name/faults', async (c) => {
    const fault = await readBody(c.req.raw, faultBody);
    functions.addFault(oneOf(functions.names, c.req.param('name'), 'function'), fault);
    return new Response(null, { status: 204 });
  });
  app.put('/secrets/:name{.+}', async (c) => {
    const { value } = await readBody(c.req.raw, secretBody);
    deps.putSecret(
      oneOf(deps.secretNames(), c.req.param('name'), 'secret'),
      typeof value === 'string' ? value : JSON.stringify(value),
    );
    return new Response(null, { status: 204 });
  });
  app.get('/tables/:name', async (c) =>
    json({ items: await deps.items(oneOf(deps.tableNames, c.req.param('name'), 'table')) }),
  );
  app.get('/logs', (c) =>
    json({ lines: logs.after(readQuery(c.req.raw, logsQuery).after ?? 0), dropped: logs.dropped }),
  );
  app.get('/events', () => json({ events: buses.recorded.entries, dropped: buses.recorded.dropped }));
  app.post('/reconcile', async () => {
    await schedules.runNow();
    return new Response(null, { status: 204 });
  });
  return app;
}

/** The event in the SDK's own JSON. */
function dated(event: HistoryEvent) {
  return { ...event, timestamp: new Date(event.timestamp).toISOString() };
}
