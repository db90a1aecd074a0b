/** Plays one scenario in a world of its own and says what it broke. */
import { createHash } from 'node:crypto';
import { violationsAsShown } from './books/as-shown.ts';
import { type Violation, violationsAtRest } from './books/at-rest.ts';
import { type Played, play } from './books/play.ts';
import type { Scenario } from './books/scenario.ts';
import { violationsOfSecrecy } from './books/secrecy.ts';
import { violationsOfSends } from './books/sends.ts';
import { violationsOfWrite } from './books/writes.ts';
import type { Deployed } from './deployed.ts';
import { createWorld, type World } from './world.ts';

export interface Run {
  readonly scenario: Scenario;
  readonly violations: readonly Violation[];
  /** What happened how often, by name: faults that struck, statuses that were reached. */
  readonly counts: ReadonlyMap<string, number>;
  readonly turns: number;
  /** Of all calls, answers and callbacks, in their order. */
  readonly hash: string;
  readonly world: World;
  readonly played: Played;
}

export async function run(scenario: Scenario, deployed: Deployed): Promise<Run> {
  const world = await createWorld(
    scenario.seed,
    deployed,
    scenario.merchants.map(({ merchant }) => merchant),
  );
  const broken: Violation[] = [];
  world.tables.onWrite = (table, before, after) => {
    if (table === world.paymentsTable) {
      broken.push(...violationsOfWrite(before, after));
    }
  };
  const played = await play(scenario, world);
  return {
    scenario,
    violations: [
      ...violationsAtRest(played),
      ...violationsAsShown(played),
      ...violationsOfSends(played),
      ...violationsOfCallbacks(world, played),
      ...violationsOfSecrecy(writtenDown(world)),
      ...broken,
      ...world.unexpected.map((what) => ({ invariant: 'nothingUnexpected' as const, id: 'cloud', what })),
    ],
    counts: countsOf(world, played),
    turns: world.clock.turns,
    hash: hashOf(world),
    world,
    played,
  };
}

function hashOf({ trace, answers, callbacks }: World): string {
  return createHash('sha256')
    .update(JSON.stringify([trace, answers, callbacks]))
    .digest('hex')
    .slice(0, 16);
}

/** Everything that may be read by somebody who may not know the secrets. */
function writtenDown({
  logs,
  states,
  buses,
  callbacks,
  answers,
  tables,
  paymentsTable,
}: World): Record<string, readonly string[]> {
  return {
    logs: logs.after(0).map(({ message }) => JSON.stringify(message)),
    histories: states
      .listExecutions()
      .flatMap(({ executionArn }) => states.history(executionArn).map((event) => JSON.stringify(event))),
    events: buses.recorded.entries.map(({ detail }) => JSON.stringify(detail)),
    callbacks: callbacks.map(({ body }) => body),
    answers,
    items: [...tables.itemsOf(paymentsTable).values()].map((item) => JSON.stringify(item)),
  };
}

function violationsOfCallbacks({ callbacks }: World, { events, items }: Played): Violation[] {
  const withAddress = new Set(
    items.filter(({ pk, callbackUrl }) => pk.startsWith('account#') && callbackUrl).map(({ merchantId }) => merchantId),
  );
  const arrived = new Set(callbacks.map(({ eventId }) => eventId));
  const kept = new Set(items.filter(({ state }) => state === 'dead').map(({ event }) => event?.eventId));
  const published = new Map(events.map((event) => [event.id, event]));
  const wrong = callbacks.filter(({ eventId, body, verified }) => {
    const { type, data } = JSON.parse(body);
    const event = published.get(eventId);
    return !verified || event?.type !== type || event.data.status !== data.status;
  });
  return [
    ...events
      .filter(({ id, data }) => withAddress.has(data.merchantId) && !arrived.has(id) && !kept.has(id))
      .map(({ subject, type }) => ({ id: subject, what: `${type} was never posted` })),
    ...wrong.map(({ eventId }) => ({
      id: eventId,
      what: 'was posted without our signature, or not as it was published',
    })),
  ].map((violation) => ({ invariant: 'callbacksArrive' as const, ...violation }));
}

function countsOf({ faults, host }: World, { scenario, requests, resources }: Played): Map<string, number> {
  const counts = new Map([...faults.struck].map(([what, times]) => [`cloud ${what}`, times]));
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  for (const [name, value] of Object.entries(scenario.switches)) {
    count(`switch ${name} ${value}`);
  }
  for (const [name, times] of host.deaths) {
    counts.set(`death ${name}`, times);
  }
  for (const { fault, method, path } of requests) {
    if (fault !== null) {
      count(`platform ${fault} ${method} ${place(path)}`);
    }
  }
  for (const { kind, views } of resources.values()) {
    for (const { body } of views) {
      count(`${kind} ${body.status}${body.failure === undefined ? '' : ` ${body.failure.code}`}`);
    }
  }
  return counts;
}

/** The path without its ids. */
function place(path: string): string {
  return path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{10,}|c(tok|t)_\w+/g, '*');
}
