/** The text of docs/sandbox.md. Its tables are the simulator's own, so the page always says what the simulator does. */
import { type ControlDeps, controlRoutes as cloudRoutes } from '../sandbox/cloud/control.ts';
import { faultKinds } from '../sandbox/cloud/functions/faults.ts';
import { CARD_MEANINGS } from '../sandbox/viva/books/cards.ts';
import { controlRoutes } from '../sandbox/viva/control/control.ts';
import { ACTION_MEANINGS } from '../sandbox/viva/control/terminals.ts';
import { FAULTS } from '../sandbox/viva/http/faults.ts';
import { apiRoutes, baseRoutes } from '../sandbox/viva/http/hosts.ts';
import type { Simulator } from '../sandbox/viva/simulator.ts';
import { SWITCHES } from '../sandbox/viva/switches.ts';
import { MODE_MEANINGS } from '../sandbox/viva/terminals/terminals.ts';

interface Route {
  readonly method: string;
  readonly path: string;
}

/** Routes are listed and never called, so they need no simulator. */
const noWorld = {} as Simulator;
const noCloud = {} as ControlDeps;

export function sandboxDoc(): string {
  return `# The platform simulator

<!-- Written by docs/generate-sandbox.ts. Change that file, then run \`npm run generate\`. -->

\`npm start\` runs the functions against this simulator of the payments platform. It behaves as [viva.md](viva.md) says. Where
sources contradict each other or say nothing, it follows one reading until you set a [switch](#switches). Failures of the network
and of the platform are [faults](#faults) that you can add. The addresses and credentials of all accounts are in the line that
\`npm start -- --json\` prints.

\`npm run dev\` keeps the same sandbox up while you work on the functions: see \`npm run dev -- --help\`. Stack traces in the
functions' logs show the lines of the TypeScript files. \`npm run prove\` runs the long tests against it. For example, it stops a
function after each of its calls.

## Origins

The platform has three origins, and a call to the wrong one is 404: the identity server (\`authUrl\`), the api host (\`apiUrl\`) and the base
host (\`baseUrl\`). A missing, expired or revoked access token is 401. The wrong credential set is 403. Every answer has the headers
\`X-Viva-CorrelationId\` and \`X-Viva-EventId\`.

- Identity server: \`POST /connect/token\` (client credentials), discovery at \`/.well-known/openid-configuration\`.
- Api host:
${routeList(apiRoutes(noWorld).routes, '  ')}
- Base host:
${routeList(baseRoutes(noWorld).routes, '  ')}

It does not simulate hosted payment pages, card entry, marketplaces, data services and fiscal device actions.

## Control API

It is at \`controlUrl\` and needs no credentials. An unknown route is 404. An unknown field, name or value is 400. In both cases the
answer lists the valid ones. Web pages of other origins, and requests to another host name than \`localhost\`, \`127.0.0.1\` and \`[::1]\`, get 403.

${routeList(controlRoutes(noWorld, async () => {}).routes)}

- **Time.** Platform and functions share one virtual clock. \`POST /_sim/clock\` with \`{"advanceSeconds": 86400}\` or
  \`{"to": "2026-12-01T00:00:00Z"}\` runs everything that becomes due on the way, in order, and answers when it is done.
  While more than three hours of an advance are left, schedules run once an hour instead of at their own rate.
- **Ledger.** The record of what really happened. Every movement of money and every hold is one entry that never changes. A declined attempt moves no
  money and has no entry: it is a transaction with status E. \`status\` is \`success\` for money, \`held\` for a hold and \`released\` for a
  hold that was given back. \`totals\` has the count and amount of each kind, and in \`net\` what the merchant has in the end.
  \`merchantTrns\` finds whole references and parts of them.
- **Requests.** All requests that reached the three origins, including those that got no answer because of a fault (\`status\` null). \`path\`
  filters by a part of the path. \`merchantId\` is the owner of the credentials, or the merchant that an ISV names.
- **Dropped.** The newest 20,000 requests, webhooks, log lines and events are kept. \`dropped\` is the number of older ones.
  The histories of running executions and of the newest 1,000 are kept. \`historyDropped\` says whether a history was dropped.
- **Reset** clears books, faults, switches, terminal settings, account rights and our tables. Accounts, credentials, webhook addresses,
  access tokens and the clock stay.
- **Accounts.** \`PATCH /_sim/accounts/{merchantId}\` switches \`tokenizationRole\`, \`nativeCheckout\`, \`allowRefunds\`,
  \`allowCaptures\` and \`rf\` on and off. \`rotate\` gives a credential set (\`pos\`, \`smartCheckout\`, \`native\`, \`apiKey\`; for
  \`isv\` also \`isv\`, \`reseller\`) a new secret on the platform's side only. The old secret works for another \`graceSeconds\`
  (default 0), and access tokens stay valid. \`POST /_sim/tokens/revoke\` revokes them.
- **Bank.** \`POST /_sim/bank/transfers\` pays an RF code like a payer's bank: the exact amount unless the order takes any amount (422
  \`AMOUNT_NOT_EXACT\`), any number of times, and also after the order expired. Unknown codes (422 \`UNKNOWN_RF_CODE\`) and cancelled
  orders (422 \`ORDER_CANCELLED\`) are refused.
- **Given back elsewhere.** \`DELETE /api/transactions/{id}?amount=\` on the base host, with a merchant's id and API key, does what the
  merchant can do in the platform's portal. If all of a payment is given back on its day (in Athens), it is a void: type 7, and the
  payment reads X. Otherwise it is a refund: type 4, R. The child has the caller's \`merchantTrns\` or none. For a captured hold it is a
  child of the capture. \`approve_then_reverse\` is the platform's own reversal, at once or days later (type 7, X, the same reference). A dispute
  only changes what is read, so it is the fault \`transaction_disputed\`. If the dispute is lost, give the money back as well.
- **Webhooks** go to the addresses in the ready line after a handshake, and again each hour until they are answered with 2xx. The ISV
  gets the webhooks of a connected account, except 2054 and 4865, which only the merchant can get. \`forge\` posts any webhook. Its
  \`sourceIp\` is the address that the local gateway sees as the sender's.

## The local cloud

The template runs on this machine. The same control server shows it, and adds faults to it:

${routeList(cloudRoutes(noCloud).routes)}

- **Executions** by name, which is the id of the sale, card or charge: status, transitions, DynamoDB writes, and the history in the
  form of AWS.
- **Faults** of a function: \`{"kind": "kill", "afterCall": 2, "times": 1}\`, kind one of ${faultKinds.map((kind) => `\`${kind}\``).join(', ')}.
  It happens after \`afterCall\` calls have been answered, before the code sees the last answer. 0 is before the first call. The name
  is the full name of the function, or the part after \`tillflow-local-\`.
- **Secrets**: \`{"value": …}\`, text or JSON, becomes the current version, and the version before it the previous one.
- **Tables** (\`payments\`, \`tokens\`), **logs** of the functions and **events** on the bus. \`reconcile\` runs the schedules now and
  answers when their work is done.

## Terminals

\`PATCH /_sim/terminals/{id}\` sets \`mode\`, \`delayMs\` (default 300, until the card is presented) and \`card\`.

${table(['mode', 'behaviour'], Object.entries(MODE_MEANINGS))}

A terminal waits a minute for a card. Then the session ends with 1003. \`POST /_sim/terminals/{id}/actions\` acts for the payer:

${table(['action', 'what happens'], Object.entries(ACTION_MEANINGS))}

${table(['card', 'behaviour'], Object.entries(CARD_MEANINGS))}

**Amounts.** 9901 to 9999 minor units are always declined, on terminals, online and on recurring charges: 99NN with event id
100NN. A terminal and an order take no less than 30.

**Authentication.** A challenge card gets markup in \`redirectToACSForm\`: a form whose \`action\` is the page of the sandbox bank on the
base host. There the payer approves or refuses, and is sent to \`sessionRedirectUrl\`. Without a browser, post \`decision=approve\` (or
\`refuse\`) to that address followed by \`/decision\`. Before the decision the charge token is refused with 2061, and after a refusal
with 2062.

## Faults

\`POST /_sim/faults\` with \`{"name": "answer_lost", "match": {"host": "api", "method": "POST", "path": "/nativecheckout/*"},
"times": 1}\`. \`match\` and each of its fields are optional.

- \`path\` is a part of the path or, with \`*\`, a pattern of the whole path. The path of a webhook is \`/{recipient}/{eventTypeId}\`.
- \`merchantId\` is the owner of the credentials, or the merchant that the request names. For a webhook it is the merchant that the webhook is about.
- \`record\` selects a transaction, session or order in an answer: by its id, by its order code, or by a part of its reference. It works for
  faults that change what a read finds or what an answer tells. Without it the fault changes all of a list.
- \`times\` is how often the fault happens (default 1; null: until it is removed). \`skip\` is how many matches stay unchanged first.
  \`probability\` is the chance that it happens on a match. The seed decides the random numbers.
- At most one fault happens to a request: the oldest one that matches and has something to change. A fault that has nothing to change, such
  as \`session_failed\` while the session is open, does not count.

${table(
  ['fault', 'when', 'what happens'],
  Object.entries(FAULTS).map(([name, { stage, meaning }]) => [name, STAGES[stage], meaning]),
)}

## Switches

\`PATCH /_sim/switches\` with \`{"rfDigits": 23}\`. The first value is the default.

${table(
  ['switch', 'values', 'what it decides'],
  Object.entries(SWITCHES).map(([name, { values, meaning }]) => [name, values.join(' · '), meaning]),
)}
`;
}

const STAGES = {
  before: 'before processing',
  after: 'the answer',
  read: 'what a read finds',
  told: 'what an answer tells',
  webhook: 'a webhook',
} as const;

function routeList(routes: readonly Route[], indent = ''): string {
  const lines = routes.map(
    ({ method, path }) => `${indent}- \`${method} ${path.replace('{.+}', '').replace(/:\w+\{(.+)\}/, '$1')}\``,
  );
  return [...new Set(lines)].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const [first = '', ...rest] = head;
  const body = rows.map(([name, ...cells]) => `| \`${name}\` | ${cells.join(' | ')} |`);
  return [`| ${[first, ...rest].join(' | ')} |`, `|${head.map(() => ' --- ').join('|')}|`, ...body].join('\n');
}
