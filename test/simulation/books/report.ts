/** Reports a violation so that its cause can be found: the scenario to play again, and the ledger beside the timeline. */
import type { Json } from '../../till.ts';
import type { Violation } from './at-rest.ts';
import { truthOf } from './books.ts';
import { INVARIANTS } from './invariants.ts';
import type { Resource } from './learned.ts';
import type { Played } from './play.ts';

const MAX_TOLD = 4;

export function report(violations: readonly Violation[], played: Played): string {
  const { scenario } = played;
  const ids = [...new Set(violations.map(({ id }) => id))];
  const about = ids.flatMap((id) => played.resources.get(id.replace(/^\w+#/, '')) ?? []).slice(0, MAX_TOLD);
  return [
    `Seed ${scenario.seed} has ${violations.length} violations. Play it again: npm run simulate -- --seed ${scenario.seed}`,
    ...violations.map(({ invariant, id, what }) => `  ${id} ${what} (broken: ${INVARIANTS[invariant]})`),
    ...about.map((resource) => story(resource, played)),
    `the scenario: ${JSON.stringify(scenario)}`,
  ].join('\n');
}

interface Line {
  readonly atMs: number;
  readonly text: string;
}

/** Ledger, timeline, answers, events and requests about one resource, in order of time. */
function story(resource: Resource, played: Played): string {
  const { kind, id, atRest, views, asked } = resource;
  const { made, captures, back, released } = truthOf(resource, played.ledger);
  const transactions = [...made, ...captures].map(({ transactionId }) => transactionId);
  const line = (at: string, text: string): Line => ({ atMs: Date.parse(at), text });
  const lines: Line[] = [
    ...[...made, ...captures, ...back, ...released].map((one) =>
      line(one.at, `LEDGER   ${one.kind} ${one.amount} ${one.status} ${one.transactionId} isv ${one.isvAmount}`),
    ),
    ...atRest.timeline.map((one: Json) => line(one.at, `timeline ${one.event} ${JSON.stringify(one.detail ?? {})}`)),
    ...views.map(({ atMs, body }) => ({ atMs, text: `answered ${shown(body)}` })),
    ...played.events
      .filter(({ subject }) => subject === id)
      .map((one) => line(one.time, `event    ${one.data.status} ${one.id}`)),
    ...played.requests
      .filter(({ path, bodyText }) =>
        [id, ...transactions].some((known) => path.includes(known) || bodyText.includes(known)),
      )
      .map((one) => line(one.at, `request  ${one.method} ${one.path} ${one.status} ${one.fault ?? ''}`)),
  ];
  const shownLines = lines
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, text }) => `    ${seconds(atMs - played.beganMs)} ${text}`);
  return [`${kind} ${id}, asked for ${JSON.stringify(asked)}`, ...shownLines].join('\n');
}

function shown({ status, final, failure, refundedAmount, capturedAmount, amountPaid, captures }: Json): string {
  const more = { failure: failure?.code, refundedAmount, capturedAmount, amountPaid };
  const states = captures?.map((one: Json) => `${one.amount} ${one.status}`);
  return `${status}${final ? ' final' : ''} ${JSON.stringify({ ...more, captures: states })}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(9)} s`;
}
