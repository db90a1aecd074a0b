/**
 * What can go wrong between a caller and the platform, by name. `stage` says where a fault strikes: before the request
 * is processed, after it was processed, on what a read finds, on what an answer tells, or on a webhook.
 */
import type { Random } from '../random.ts';

export const FAULTS = {
  refused: { stage: 'before', meaning: 'the connection ends before the request is processed' },
  server_error_before: { stage: 'before', meaning: '500, not processed' },
  too_many_requests: { stage: 'before', meaning: '429 with Retry-After, not processed' },
  unauthorized_once: { stage: 'before', meaning: '401, not processed' },
  forbidden: { stage: 'before', meaning: '403, not processed' },
  token_endpoint_error: { stage: 'before', meaning: '503 from the token endpoint; strikes no other path' },
  ecr_busy: { stage: 'before', meaning: '503 with event id 1400 from the terminal service; strikes no other path' },
  not_visible: {
    stage: 'before',
    meaning: '404 to the read of a session, transaction or order by its id; lists are not affected',
  },
  late_commit: { stage: 'before', meaning: '504 at once, processed after delaySeconds (default 60)' },
  server_error_after: { stage: 'after', meaning: 'processed, answered with 500' },
  answer_lost: { stage: 'after', meaning: 'processed, then the connection ends without an answer' },
  slow: { stage: 'after', meaning: 'processed at once, answered after delaySeconds (default 30)' },
  malformed_200: { stage: 'after', meaning: 'processed, answered with 200 and incomplete JSON' },
  success_false: { stage: 'after', meaning: 'processed, answered with 200, Success false and no reason' },
  wrong_amount: {
    stage: 'told',
    meaning:
      'the amount of each transaction, session or order is one major unit too high; shares, tips and commissions stay right',
  },
  wrong_currency: { stage: 'told', meaning: 'the currency of each transaction or session is 840' },
  wrong_merchant: { stage: 'told', meaning: 'each transaction has another merchant' },
  session_failed: {
    stage: 'told',
    meaning:
      'a successful session is shown as failed (eventId, default 1099; no transactionId), although its transaction is paid',
  },
  session_succeeded: {
    stage: 'told',
    meaning:
      'a failed session is shown as successful (eventId 0), with the id of its declined transaction, if it has one',
  },
  transaction_failed: {
    stage: 'told',
    meaning:
      'a finished payment, hold or capture is shown as failed: statusId E instead of F. Refunds and voids do not change, unless match.record is the id of one',
  },
  transaction_pending: {
    stage: 'told',
    meaning:
      'a finished or failed payment, hold or capture is shown as in progress: statusId A. Refunds and voids do not change, unless match.record is the id of one',
  },
  transaction_disputed: {
    stage: 'told',
    meaning:
      'a payment or capture, also a partly refunded one, is shown as disputed: statusId, one of M (default), MA, MI, ML, MW, MS',
  },
  record_unreadable: { stage: 'told', meaning: 'a transaction has neither Amount nor StatusId: both are null' },
  record_missing: {
    stage: 'read',
    meaning: 'a transaction is not found although it exists: lists leave it out, and its read by id is 404',
  },
  child_missing: {
    stage: 'read',
    meaning: 'like record_missing, but only for transactions with a parent: refunds, reversals, returns and captures',
  },
  bad_rf_code: { stage: 'told', meaning: 'the last digit of the RF code is wrong' },
  list_lag: { stage: 'read', meaning: 'lists leave out transactions younger than delaySeconds (default 60)' },
  duplicate_webhook: {
    stage: 'webhook',
    meaning: 'the webhook is delivered again after delaySeconds (default 0), although it was answered with 2xx',
  },
  reordered_webhook: {
    stage: 'webhook',
    meaning: 'the webhook is held for 2 seconds, so that later ones arrive first',
  },
  early_webhook: { stage: 'webhook', meaning: 'the webhook arrives before the answer of the call that caused it' },
  lost_webhook: { stage: 'webhook', meaning: 'the webhook is not delivered; redeliver still works' },
  delayed_webhook: { stage: 'webhook', meaning: 'the first delivery waits delaySeconds (default 3600)' },
} as const satisfies Record<string, { stage: 'before' | 'after' | 'read' | 'told' | 'webhook'; meaning: string }>;

export type FaultName = keyof typeof FAULTS;

/** M disputed, MA awaiting our answer, MI in progress, ML lost, MW won, MS suspected. */
export const DISPUTE_STATUSES = ['M', 'MA', 'MI', 'ML', 'MW', 'MS'] as const;

interface FaultMatch {
  readonly host?: 'auth' | 'api' | 'base' | undefined;
  readonly method?: string | undefined;
  /** A part of the path, or with * a pattern of the whole path. */
  readonly path?: string | undefined;
  /** The owner of the credentials, or the merchant that the request names. For a webhook: its merchant. */
  readonly merchantId?: string | undefined;
  /** Stages `read` and `told`: only the records with this id, this order code, or this text in their reference. */
  readonly record?: string | undefined;
}

export interface FaultRequest {
  readonly name: FaultName;
  readonly match?: FaultMatch | undefined;
  /** How often it strikes; null: until it is removed. */
  readonly times: number | null;
  /** How many matches it lets pass first. */
  readonly skip?: number | undefined;
  readonly probability?: number | undefined;
  readonly delaySeconds?: number | undefined;
  /** For transaction_disputed. */
  readonly statusId?: (typeof DISPUTE_STATUSES)[number] | undefined;
  /** For session_failed. */
  readonly eventId?: number | undefined;
}

export interface Fault extends FaultRequest {
  readonly faultId: string;
  skipped: number;
  struck: number;
}

export interface Subject {
  readonly host?: 'auth' | 'api' | 'base';
  readonly method: string;
  readonly path: string;
  readonly merchantId?: string | null | undefined;
}

export class Faults {
  readonly #random: () => Random;
  readonly #faults = new Map<string, Fault>();

  constructor(random: () => Random) {
    this.#random = random;
  }

  add(request: FaultRequest): Fault {
    const fault = { ...request, faultId: this.#random().uuid(), skipped: 0, struck: 0 };
    this.#faults.set(fault.faultId, fault);
    return fault;
  }

  remove(faultId: string): boolean {
    return this.#faults.delete(faultId);
  }

  list(): Fault[] {
    return [...this.#faults.values()];
  }

  clear(): void {
    this.#faults.clear();
  }

  /**
   * The faults that match a request, oldest first. The caller calls `strike` for the one that has something to change.
   */
  *ofRequest(subject: Subject): Generator<Fault> {
    for (const fault of this.list()) {
      if (
        FAULTS[fault.name].stage !== 'webhook' &&
        touches(fault.name, subject) &&
        this.#mayStrike(fault, fault.match, subject)
      ) {
        yield fault;
      }
    }
  }

  /** Whether the fault strikes now. False while it skips, and when it was used up in the meantime. */
  strike(fault: Fault): boolean {
    if (isUsedUp(fault)) {
      return false;
    }
    if (fault.skipped < (fault.skip ?? 0)) {
      fault.skipped++;
      return false;
    }
    fault.struck++;
    return true;
  }

  /** The oldest fault that strikes this webhook. A webhook's path is `/{recipient}/{eventTypeId}`. */
  strikeWebhook(path: string, merchantId: string): Fault | undefined {
    return this.list().find((fault) => {
      const match = { path: fault.match?.path, merchantId: fault.match?.merchantId };
      return (
        FAULTS[fault.name].stage === 'webhook' &&
        this.#mayStrike(fault, match, { method: 'POST', path, merchantId }) &&
        this.strike(fault)
      );
    });
  }

  #mayStrike(fault: Fault, match: FaultMatch | undefined, subject: Subject): boolean {
    return (
      !isUsedUp(fault) &&
      fits(match, subject) &&
      (fault.probability === undefined || this.#random().next() < fault.probability)
    );
  }
}

function isUsedUp({ times, struck }: Fault): boolean {
  return times !== null && struck >= times;
}

/** Reads of a session, a transaction or an order by its id. */
const READ_BY_ID =
  /^\/(ecr(\/isv)?\/v1\/sessions|checkout\/v2(\/isv)?\/transactions|api\/transactions|api\/orders)\/[^/:]+$/i;
const TRANSACTIONS_READ = /^\/(checkout\/v2(\/isv)?\/transactions\/[^/]+|api\/transactions(\/[^/]+)?)$/i;

/** Some faults strike some paths only, whatever `match` says. */
function touches(name: FaultName, { method, path }: Subject): boolean {
  switch (name) {
    case 'token_endpoint_error':
      return path === '/connect/token';
    case 'ecr_busy':
      return path.startsWith('/ecr/');
    case 'not_visible':
      return method === 'GET' && READ_BY_ID.test(path);
    case 'transaction_failed':
    case 'transaction_pending':
    case 'transaction_disputed':
    case 'record_unreadable':
    case 'record_missing':
    case 'child_missing':
      return method === 'GET' && TRANSACTIONS_READ.test(path);
    case 'list_lag':
      return method === 'GET' && path.toLowerCase() === '/api/transactions';
    case 'bad_rf_code':
      return path.endsWith('/paymentsessions');
    case 'session_failed':
    case 'session_succeeded':
      return method === 'GET' && path.includes('/sessions');
    default:
      return true;
  }
}

function fits(match: FaultMatch | undefined, { host, method, path, merchantId }: Subject): boolean {
  return (
    (match?.host === undefined || match.host === host) &&
    (match?.method === undefined || match.method.toUpperCase() === method) &&
    (match?.path === undefined || pathFits(match.path, path)) &&
    (match?.merchantId === undefined || match.merchantId.toLowerCase() === merchantId)
  );
}

export function pathFits(pattern: string, path: string): boolean {
  if (!pattern.includes('*')) {
    return path.includes(pattern);
  }
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) {
      return false;
    }
    at = found + part.length;
  }
  return path.startsWith(first) && path.endsWith(last) && path.length - last.length >= at;
}
