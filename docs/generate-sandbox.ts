/** Writes docs/sandbox.md: the tables come from the simulator's own, so that the page cannot say anything else. */
import { writeFileSync } from 'node:fs';
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

/** Routes are listed, never called, so they need no world to act in. */
const noWorld = {} as Simulator;
const noCloud = {} as ControlDeps;

export function sandboxDoc(): string {
  return `# The platform simulator

<!-- Written by docs/generate-sandbox.ts. Change that file, then run \`node docs/generate-sandbox.ts\`. -->

\`npm start\` runs the functions against this simulator of the payments platform. It behaves as the platform's public
documentation says. Where that contradicts itself or is silent, it follows one reading until a [switch](#switches) picks
another, and every failure that a network or a platform can have is a [fault](#faults) that you can order. The addresses and
credentials of all accounts are in the line that \`npm start -- --json\` prints.

\`npm run dev\` keeps the same sandbox up while you work on the functions: see \`npm run dev -- --help\`. Stack traces in the
functions' logs show the lines of the TypeScript files. \`npm run prove\` plays the long stories against it, such as a death
after every call.

## Origins

As in life there are three, and a call on the wrong one is 404: the identity server (\`authUrl\`), the api host (\`apiUrl\`) and
the base host (\`baseUrl\`). A missing, ended or revoked access token is 401, another credential set than the one an endpoint
takes is 403. Every answer has the headers \`X-Viva-CorrelationId\` and \`X-Viva-EventId\`.

- Identity server: \`POST /connect/token\` (client credentials), discovery at \`/.well-known/openid-configuration\`.
- Api host:
${routeList(apiRoutes(noWorld).routes, '  ')}
- Base host:
${routeList(baseRoutes(noWorld).routes, '  ')}

What it does not simulate: hosted payment pages, card entry, marketplaces, data services, and fiscal device actions.

## Control API

On \`controlUrl\`, without credentials. An unknown route is 404; an unknown field, name or value is 400 and lists the valid ones.
Web pages of other origins, and requests to any host name but \`localhost\`, \`127.0.0.1\` and \`[::1]\`, get 403.

${routeList(controlRoutes(noWorld, async () => {}).routes)}

- **Time.** Platform and functions share one virtual clock. \`POST /_sim/clock\` with \`{"advanceSeconds": 86400}\` or
  \`{"to": "2026-12-01T00:00:00Z"}\` runs everything that falls due on the way, in order, and answers when it is done.
- **Ledger.** The ground truth. Every movement of money and every hold is one entry that never changes; a declined attempt moves
  no money and has none (read it as a transaction with status E). \`status\` is \`success\` for money, \`held\` for a hold and
  \`released\` for a hold given back. \`totals\` has count and amount of each kind, and \`net\`, what the merchant has in the
  end. \`merchantTrns\` finds whole references and parts of them.
- **Requests.** All that reached the three origins, also what a fault then swallowed (\`status\` null: nothing was answered).
  \`path\` filters by a part of the path. The newest 20,000 are kept, as of log lines, events and webhooks; \`dropped\` says how
  many are gone. \`merchantId\` is whose credentials were shown, or for whom an ISV showed its own.
- **Reset** clears books, faults, switches, terminal settings, account rights and our tables. Accounts, credentials, webhook
  addresses, access tokens and the clock stay.
- **Accounts.** \`PATCH /_sim/accounts/{merchantId}\` switches \`tokenizationRole\`, \`nativeCheckout\`, \`allowRefunds\`,
  \`allowCaptures\` and \`rf\` on and off. \`rotate\` gives a credential set (\`pos\`, \`smartCheckout\`, \`native\`, \`apiKey\`; of
  \`isv\` also \`isv\`, \`reseller\`) a new secret on the platform's side only: the old one is taken for \`graceSeconds\` more
  (default 0), access tokens stay good. \`POST /_sim/tokens/revoke\` ends those.
- **Bank.** \`POST /_sim/bank/transfers\` pays an RF code as a payer's bank would: the exact amount unless the order is open
  (422 \`AMOUNT_NOT_EXACT\`), as often as it is asked, also after the order expired. Unknown codes (422 \`UNKNOWN_RF_CODE\`) and
  cancelled orders (422 \`ORDER_CANCELLED\`) are refused.
- **Given back elsewhere.** \`DELETE /api/transactions/{id}?amount=\` on the base host, with a merchant's id and API key, is what
  the merchant does in the platform's own portal: all of a payment on the day (of Athens) it was taken is a void (type 7, the
  payment reads X), anything else a refund (type 4, R), a child with the caller's \`merchantTrns\` or none. Of a captured hold it
  is a child of the capture. \`approve_then_reverse\` is the platform's own reversal, at once or days later (type 7, X, the same
  reference). A dispute is a reading, so it is the fault \`transaction_disputed\`; give the money back beside it if it is lost.
- **Webhooks** go to the addresses in the ready line after a handshake, and hourly until they are answered with 2xx. A connected
  account's events go to the ISV, except 2054 and 4865, which only the merchant can have. \`forge\` posts what you like; its
  \`sourceIp\` is what the local gateway takes for the sender's address.

## The local cloud

The template runs on this machine, and the same control server shows and breaks it:

${routeList(cloudRoutes(noCloud).routes)}

- **Executions** by name, which is the id of the sale, card or charge: status, transitions, DynamoDB writes, and the history as
  AWS keeps it. Kept are the histories of what runs and of the newest 1,000; \`historyDropped\` says that one is gone.
- **Faults** of a function: \`{"kind": "kill", "afterCall": 2, "times": 1}\`, kind one of ${faultKinds.map((kind) => `\`${kind}\``).join(', ')}.
  It strikes when the answer of that many calls has arrived, before the code can see it; 0 is before the first. The name is the
  full one or the part after \`tillflow-local-\`.
- **Secrets**: \`{"value": …}\`, text or JSON, becomes the current version and the one of before the previous.
- **Tables** (\`payments\`, \`tokens\`), **logs** of the functions and **events** on the bus, as they are. \`reconcile\` runs the
  schedule now and answers when its work is done.

## Terminals

\`PATCH /_sim/terminals/{id}\` sets \`mode\`, \`delayMs\` (default 300, until the card is presented) and \`card\`.

${table(['mode', 'behaviour'], Object.entries(MODE_MEANINGS))}

A terminal waits a minute for a card, then the session ends with 1003. \`POST /_sim/terminals/{id}/actions\` is the payer's hand:

${table(['action', 'what happens'], Object.entries(ACTION_MEANINGS))}

${table(['card', 'behaviour'], Object.entries(CARD_MEANINGS))}

**Amounts.** 9901 to 9999 minor units are always declined, on terminals, online and on recurring charges: 99NN with event
100NN. A terminal and an order take no less than 30.

**Authentication.** A challenge card gets markup in \`redirectToACSForm\`, a form whose \`action\` is the sandbox bank's page on the
base host. There the payer says yes or no, and is sent on to \`sessionRedirectUrl\`. Without a browser, post
\`decision=approve\` (or \`refuse\`) to that address followed by \`/decision\`. Until then the charge token is refused with 2061,
after a no with 2062.

## Faults

\`POST /_sim/faults\` with \`{"name": "answer_lost", "match": {"host": "api", "method": "POST", "path": "/nativecheckout/*"},
"times": 1}\`. All of \`match\` may be left out.

- \`path\` is a part of the path or, with \`*\`, a pattern of the whole path; for a webhook the path is
  \`/{recipient}/{eventTypeId}\`.
- \`merchantId\` is whose credentials a request shows, or whom it names; of a webhook, whose event it is.
- \`record\` chooses among the things that an answer tells of, where the fault strikes what a read finds or what an answer tells:
  one id (transaction, session), all of one order code, or all whose reference has this text. Without it the fault strikes
  all of a list.
- \`times\` is how often it strikes (default 1; null: until it is removed), \`skip\` how often it lets pass first what it could
  strike. \`probability\` is drawn from the seed.
- At most one fault strikes a request: the oldest that fits and finds something to strike. A fault that finds nothing, such as
  \`session_failed\` while the session is open, has not struck.

${table(
  ['fault', 'strikes', 'what happens'],
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

if (import.meta.main) {
  writeFileSync(new URL('sandbox.md', import.meta.url), sandboxDoc());
}
