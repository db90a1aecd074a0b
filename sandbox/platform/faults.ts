/**
 * What can go wrong between a caller and the platform, by name. `stage` says where it strikes: before the request is
 * processed, instead of processing it, after it was processed, on what a read answers, or on a webhook.
 */
import type { Random } from './random.ts';

export const FAULTS = {
  refused: { stage: 'before', meaning: 'the connection ends before the request is processed' },
  server_error_before: { stage: 'before', meaning: '500, not processed' },
  too_many_requests: { stage: 'before', meaning: '429 with Retry-After, not processed' },
  unauthorized_once: { stage: 'before', meaning: '401, not processed' },
  forbidden: { stage: 'before', meaning: '403, not processed' },
  token_endpoint_error: { stage: 'before', meaning: '503 from the token endpoint; strikes no other path' },
  ecr_busy: { stage: 'before', meaning: '503 with event 1400 from the terminal service; strikes no other path' },
  not_visible: { stage: 'before', meaning: '404 to a read; strikes GET only' },
  late_commit: { stage: 'before', meaning: '504 at once, processed after delaySeconds (default 60)' },
  server_error_after: { stage: 'after', meaning: 'processed, answered with 500' },
  answer_lost: { stage: 'after', meaning: 'processed, then the connection ends without an answer' },
  slow: { stage: 'after', meaning: 'processed at once, answered after delaySeconds (default 30)' },
  malformed_200: { stage: 'after', meaning: 'processed, answered with 200 and JSON that breaks off' },
  success_false: { stage: 'after', meaning: 'processed, answered with 200, Success false and no reason' },
  wrong_amount: { stage: 'after', meaning: 'every amount in the answer is one major unit too high' },
  wrong_merchant: { stage: 'after', meaning: 'every merchant id in the answer is another merchant’s' },
  session_failed: {
    stage: 'after',
    meaning: 'a finished session reads as failed (1099), although its transaction is paid',
  },
  transaction_failed: { stage: 'after', meaning: 'a paid transaction reads as failed (E)' },
  bad_rf_code: { stage: 'after', meaning: 'one digit of the RF code in the answer is wrong' },
  list_lag: { stage: 'read', meaning: 'lists leave out transactions younger than delaySeconds (default 60)' },
  duplicate_webhook: {
    stage: 'webhook',
    meaning: 'the message is delivered once more after delaySeconds (default 0), although answered with 2xx',
  },
  reordered_webhook: { stage: 'webhook', meaning: 'the message is held for 2 seconds, so that later ones overtake it' },
  early_webhook: { stage: 'webhook', meaning: 'the message arrives before the answer of the call that caused it' },
  lost_webhook: { stage: 'webhook', meaning: 'the message is never delivered; redeliver still can' },
  delayed_webhook: { stage: 'webhook', meaning: 'the first delivery waits delaySeconds (default 3600)' },
} as const satisfies Record<string, { stage: 'before' | 'after' | 'read' | 'webhook'; meaning: string }>;

export type FaultName = keyof typeof FAULTS;

interface FaultMatch {
  readonly host?: 'auth' | 'api' | 'base' | undefined;
  readonly method?: string | undefined;
  /** A part of the path, or with * a pattern of the whole path. */
  readonly path?: string | undefined;
}

export interface FaultRequest {
  readonly name: FaultName;
  readonly match?: FaultMatch | undefined;
  /** How often it strikes; null: until removed. */
  readonly times: number | null;
  readonly probability?: number | undefined;
  readonly delaySeconds?: number | undefined;
}

export interface Fault extends FaultRequest {
  readonly faultId: string;
  struck: number;
}

interface Subject {
  readonly host?: 'auth' | 'api' | 'base';
  readonly method: string;
  readonly path: string;
}

export class Faults {
  readonly #random: () => Random;
  readonly #faults = new Map<string, Fault>();

  constructor(random: () => Random) {
    this.#random = random;
  }

  add(request: FaultRequest): Fault {
    const fault = { ...request, faultId: this.#random().uuid(), struck: 0 };
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

  /** The oldest fault of a stage other than `webhook` that strikes this request; it counts as struck. */
  strikeRequest(subject: Subject): Fault | undefined {
    return this.#strike(
      (fault) => FAULTS[fault.name].stage !== 'webhook' && touches(fault.name, subject) && fits(fault.match, subject),
    );
  }

  /** A webhook's path is `/{recipient}/{eventTypeId}`. */
  strikeWebhook(path: string): Fault | undefined {
    return this.#strike(
      (fault) => FAULTS[fault.name].stage === 'webhook' && fits({ path: fault.match?.path }, { method: 'POST', path }),
    );
  }

  #strike(applies: (fault: Fault) => boolean): Fault | undefined {
    for (const fault of this.#faults.values()) {
      const left = fault.times === null || fault.struck < fault.times;
      if (left && applies(fault) && (fault.probability === undefined || this.#random().next() < fault.probability)) {
        fault.struck++;
        return fault;
      }
    }
    return undefined;
  }
}

/** Some faults exist on some paths only, whatever they were asked to match. */
function touches(name: FaultName, { method, path }: Subject): boolean {
  switch (name) {
    case 'token_endpoint_error':
      return path === '/connect/token';
    case 'ecr_busy':
      return path.startsWith('/ecr/');
    case 'not_visible':
    case 'transaction_failed':
      return method === 'GET';
    case 'list_lag':
      return method === 'GET' && path.toLowerCase() === '/api/transactions';
    case 'bad_rf_code':
      return path.endsWith('/paymentsessions');
    case 'session_failed':
      return method === 'GET' && path.includes('/sessions/');
    default:
      return true;
  }
}

function fits(match: FaultMatch | undefined, { host, method, path }: Subject): boolean {
  return (
    (match?.host === undefined || match.host === host) &&
    (match?.method === undefined || match.method.toUpperCase() === method) &&
    (match?.path === undefined || pathFits(match.path, path))
  );
}

function pathFits(pattern: string, path: string): boolean {
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
