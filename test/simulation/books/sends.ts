/** What was sent to the platform: a request that may have taken money is not sent again while the first may still appear. */
import type { Json } from '../../till.ts';
import type { Violation } from './at-rest.ts';
import type { Played } from './play.ts';

/** Later than the last moment at which a request may still be processed, plus the lag of the list. */
const LATE_MS = 17 * 60_000;
const NOT_PROCESSED = [
  ...['refused', 'server_error_before', 'too_many_requests', 'unauthorized_once', 'forbidden'],
  ...['token_endpoint_error', 'ecr_busy'],
  // It is processed later, if its access token is still valid then. The invariants of the ledger count those.
  'late_commit',
];
const SERVER_BUSY = 1_400;

interface Kind {
  readonly what: string;
  /** Undefined for requests of another kind; else the thing that may happen only once. */
  readonly of: (request: Json) => string | undefined;
  /** Whether it may be sent again once it is certain that the first request was not processed. */
  readonly again: boolean;
}

const KINDS: readonly Kind[] = [
  {
    what: 'the sale request',
    again: false,
    of: saleSent,
  },
  {
    what: 'the charge',
    again: false,
    of: ({ method, path, bodyText }) =>
      method === 'POST' && /\/nativecheckout\/v2\/(isv\/)?transactions$/.test(path)
        ? parsed(bodyText).merchantTrns
        : undefined,
  },
  {
    what: 'the capture',
    again: true,
    of: ({ method, path }) =>
      method === 'POST' && /^\/(nativecheckout\/v2|api)\/transactions\/[^/]+$/.test(path) ? path : undefined,
  },
  {
    what: 'the void of the hold',
    again: true,
    of: ({ method, path, query }) =>
      method === 'DELETE' && path.startsWith('/api/transactions/') && query.customerTrns !== 'elsewhere'
        ? path
        : undefined,
  },
];

export function violationsOfSends(played: Played): Violation[] {
  const { requests, ledger } = played;
  const sentAgain = KINDS.flatMap(({ what, of, again }) =>
    [...Map.groupBy(requests, of)].flatMap(([id, sent]) =>
      id === undefined ? [] : ofOne(what, again, id, sent, ledger),
    ),
  );
  return [...sentAgain, ...sentTooLate(played)];
}

/** The payer may have left: docs/api.md promises that nothing is sent to a terminal later than this. */
const SENT_WITHIN_MS = 30_000;
/** From the client's last look at its clock until the platform has the request. */
const ON_THE_WAY_MS = 2_000;

function sentTooLate({ requests, items }: Played): Violation[] {
  const created = new Map(items.map(({ pk, createdAt }) => [pk, Date.parse(createdAt)]));
  return requests.flatMap((request) => {
    const id = saleSent(request);
    const late = Date.parse(request.at) - (created.get(`sale#${id}`) ?? 0) > SENT_WITHIN_MS + ON_THE_WAY_MS;
    return id !== undefined && late
      ? [
          {
            invariant: 'sentInTime' as const,
            id,
            what: `was sent to the terminal at ${request.at}, when the payer may have left`,
          },
        ]
      : [];
  });
}

function ofOne(what: string, again: boolean, id: string, sent: readonly Json[], ledger: readonly Json[]): Violation[] {
  const violations: Violation[] = [];
  const processed = sent.filter(
    ({ fault, status }) => !NOT_PROCESSED.includes(fault) && !(status >= 400 && status < 500),
  );
  // A fault may hide that the platform refused the request. Of a capture or a void the ledger shows what became of it.
  const children = ledger.filter(({ parentId }) => parentId === id.split('/').at(-1));
  if (processed.length > 1 && (!again || children.length > 1)) {
    violations.push({ invariant: 'processedOnce', id, what: `${what} was processed ${processed.length} times` });
  }
  for (const [index, first] of sent.entries()) {
    const next = sent[index + 1];
    const soon = next !== undefined && Date.parse(next.at) - Date.parse(first.at) < LATE_MS;
    if (next !== undefined && mayHaveLeft(first) && (soon || !again)) {
      violations.push({
        invariant: 'notSentAgain',
        id,
        what: `${what} was sent again at ${next.at}, after it was answered ${first.status} (${first.fault}) at ${first.at}`,
      });
    }
  }
  return violations;
}

/** Only a refusal proves that nothing was started. */
function mayHaveLeft({ status, eventId }: Json): boolean {
  return status === null || status < 400 || (status >= 500 && !(status === 503 && eventId === SERVER_BUSY));
}

/** The id of the sale, if the request sends one to its terminal. */
function saleSent({ method, path, bodyText }: Json): string | undefined {
  return method === 'POST' && path.endsWith('transactions:sale') ? parsed(bodyText).sessionId : undefined;
}

function parsed(bodyText: string): Json {
  try {
    return JSON.parse(bodyText);
  } catch {
    return {};
  }
}
