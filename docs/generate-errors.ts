/** Writes docs/errors.md: the tables come from the code's own, so that the page cannot say anything else. */
import { problems } from '../shared/api/problems.ts';
import { failures } from '../shared/payments/failures.ts';
import { issuerEvents, terminalEvents } from '../shared/viva/event-ids.ts';

export function errorsDoc(): string {
  return `# Errors

<!-- Written by docs/generate-errors.ts. Change the tables in the code, then run \`npm run generate\`. -->

There are two kinds. A **problem** is the answer to a request that was not done: \`application/problem+json\` with a \`code\`.
A **failure** is how a sale, a card, a charge or an RF order ended: \`failure.code\` of a resource that was read well.

## Problems

\`retryable\`: the same request, with the same idempotency key, may be sent again and may then succeed.

${table(
  ['code', 'status', 'title', 'retryable'],
  Object.entries(problems).map(([code, problem]) => [
    `\`${code}\``,
    String(problem.status),
    problem.title,
    'retryable' in problem ? 'yes' : 'no',
  ]),
)}

## Failures

The sentence is what \`failure.message\` says, to the cashier or to you. \`retryable\`: nothing was taken, and the same may be
asked for again as a new request with a new key. \`failure.platform\` has the platform's own words for support.

${table(
  ['code', 'sentence', 'retryable'],
  Object.entries(failures).map(([code, { message, retryable }]) => [`\`${code}\``, message, retryable ? 'yes' : 'no']),
)}

## What the platform's event ids mean

The first row that fits decides. Of a session that the terminal finished without success:

${events(terminalEvents)}

Of an issuer's refusal, in any call:

${events(issuerEvents)}
`;
}

function events(rows: typeof issuerEvents): string {
  return table(
    ['event id', 'code'],
    rows.map(([from, to, code]) => [from === to ? String(from) : `${from}–${to}`, `\`${code}\``]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
