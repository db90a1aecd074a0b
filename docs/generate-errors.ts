/** The text of docs/errors.md: the tables come from the code's own, so that the page cannot say anything else. */
import { problems } from '../shared/api/problems.ts';
import { failures } from '../shared/payments/failures.ts';
import { issuerEvents, terminalEvents } from '../shared/viva/event-ids.ts';

export function errorsDoc(): string {
  return `# Errors

<!-- Written by docs/generate-errors.ts. Change the tables in the code, then run \`npm run generate\`. -->

There are two kinds of errors:

- A **problem** is the answer to a request that was not carried out. It is \`application/problem+json\` with a \`code\`.
- A **failure** says why a sale, a card, a charge or an RF order ended as it did. It is in the field \`failure\` of the resource, and reading
  the resource succeeds.

## Problems

\`retryable\` means: send the same request again later, with the same idempotency key. It may then succeed.

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

\`failure.message\` has the sentence, for the cashier or for you. \`retryable\` means: the request took no money, and you may send the same
request again with a new idempotency key. \`failure.platform\` has what the platform answered, for support.

${table(
  ['code', 'sentence', 'retryable'],
  Object.entries(failures).map(([code, { message, retryable }]) => [`\`${code}\``, message, retryable ? 'yes' : 'no']),
)}

## What the platform's event ids mean

In each table the first row that matches the event id gives the code.

When a session at the terminal ended without success:

${events(terminalEvents)}

When the issuer refused, in any call:

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
