/**
 * One HTTP call to the platform. The result says what is certain: an answer, nothing sent, or no answer. outcomes.ts
 * decides what that means for money. Nothing is retried and no redirect is followed here.
 */
import { TransientError } from '../flow/errors.ts';
import type { Call } from './viva.ts';

export interface Http {
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
}

export interface HttpRequest {
  /** For the timeline: method and path without ids. */
  readonly call: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly timeoutMs: number;
  readonly maxAnswerBytes?: number;
}

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly text: string;
  readonly call: Call;
}

/** `not_sent`: the request was proven not to have left. `no_answer`: it may have arrived. */
interface NoAnswer {
  readonly kind: 'not_sent' | 'no_answer';
  readonly cause: string;
}

export type Outcome = Answer | NoAnswer;

/** Time that a function needs after a call to write down the result. Less only where nothing is lost without it. */
const WRITE_DOWN_MS = 2_000;
/** The cause of a `no_answer` whose answer was too large. */
export const ANSWER_TOO_LARGE = 'ANSWER_TOO_LARGE';
const MAX_ANSWER_BYTES = 1024 * 1024;
/**
 * Failures of name look-up and of connecting. A broken connection can have the same codes, so the system call decides.
 */
const NOT_CONNECTED = /^(ENOTFOUND|EAI_[A-Z]+|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/;
const CONNECTING: readonly unknown[] = ['getaddrinfo', 'connect'];
/**
 * Failures that only exist before the first byte of a request: undici's time-out of a connect, certificates that we
 * refuse, and the two alerts with which a server refuses a handshake. A reset, a closed socket and any other TLS error
 * prove nothing, although most of them also come before the request.
 */
const NOT_SECURED =
  /^(UND_ERR_CONNECT_TIMEOUT|ERR_TLS_CERT_.*|CERT_.*|UNABLE_TO_.*|(DEPTH_ZERO_)?SELF_SIGNED_CERT.*|HOSTNAME_MISMATCH|ERR_SSL_(TLSV1|SSLV3)_ALERT_(HANDSHAKE_FAILURE|PROTOCOL_VERSION))$/;

/**
 * How long a call may take if `remainingMs` are left of the invocation. Throws if the call could not end in that time.
 */
export function timeoutWithin(
  remainingMs: number,
  longestMs: number,
  shortestMs = longestMs,
  afterwardsMs = WRITE_DOWN_MS,
): number {
  const timeoutMs = Math.min(longestMs, remainingMs - afterwardsMs);
  if (timeoutMs < shortestMs) {
    throw new TransientError('NOT_ENOUGH_TIME', 'a call to the platform could not end within this invocation');
  }
  return timeoutMs;
}

export async function exchange({ fetch, now }: Http, request: HttpRequest): Promise<Outcome> {
  const startedAt = now();
  try {
    const response = await fetch(request.url, {
      method: request.method,
      // A connection of an earlier invocation may have died while the function was frozen. A payment sent on it would have
      // an unknown outcome.
      headers: { accept: 'application/json', connection: 'close', ...request.headers },
      // mutant condition: no body and an undefined one are the same request
      ...(request.body === undefined ? {} : { body: request.body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(request.timeoutMs),
    });
    const text = await readText(response, request.maxAnswerBytes ?? MAX_ANSWER_BYTES);
    const event = identifier(response.headers.get('x-viva-eventid'));
    const eventId = event === '0' ? undefined : event;
    const correlationId = identifier(response.headers.get('x-viva-correlationid'));
    const call: Call = {
      call: request.call,
      status: response.status,
      durationMs: now() - startedAt,
      ...(eventId === undefined ? {} : { eventId }),
      ...(correlationId === undefined ? {} : { correlationId }),
    };
    return { kind: 'answer', status: response.status, text, call };
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return { kind: isNotSent(cause) ? 'not_sent' : 'no_answer', cause: codeOf(cause) ?? (error as Error).name };
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new Error('answer too large', { cause: { code: ANSWER_TOO_LARGE } });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** If a host has several addresses, each failure counts: the request could have left to any of them. */
function isNotSent(cause: unknown): boolean {
  if (cause instanceof AggregateError) {
    return cause.errors.length > 0 && cause.errors.every(isNotSent);
  }
  const code = codeOf(cause) ?? '';
  const { syscall } = (cause ?? {}) as { syscall?: unknown };
  return NOT_SECURED.test(code) || (NOT_CONNECTED.test(code) && CONNECTING.includes(syscall));
}

/** The code of a failed fetch is in its cause. Our own time-out has none. */
function codeOf(cause: unknown): string | undefined {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** Headers of the platform go to logs and timelines, so only what looks like an id passes. */
function identifier(header: string | null): string | undefined {
  return header !== null && /^[\w.:-]{1,64}$/.test(header) ? header : undefined;
}
