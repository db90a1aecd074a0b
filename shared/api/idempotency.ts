/**
 * Idempotency keys. The id of what a POST makes follows from the caller, the route and the key, so a repeat finds what
 * the first one made; the item holds the hash of the first request and its answer, so the repeat gets the same bytes.
 *
 * A business rule's refusal is stored under that id too: the key has been used, and means this answer for good.
 */
import { createHash } from 'node:crypto';
import { existing } from '../payments/existing.ts';
import type { Kind, Origin } from '../payments/items.ts';
import { derivedId } from '../payments/references.ts';
import type { NewItem, Payments } from '../payments/store.ts';
import type { Answer } from './endpoint.ts';
import { Problem, problemBody } from './problem.ts';
import type { ApiRequest } from './request.ts';

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** A request that can be repeated. */
export interface Keyed {
  /** A UUID; another one in another stack. */
  readonly id: string;
  readonly requestHash: string;
}

/** Stands in place of what the request would have made. */
interface Refusal {
  readonly merchantId: string;
  readonly refusedWith: number;
  readonly origin: Origin;
}

/** Throws where the key is missing or malformed: nothing may be written without one. */
export function requireKey(request: ApiRequest): string {
  const [key = '', ...others] = request.header('Idempotency-Key');
  if (others.length > 0 || !IDEMPOTENCY_KEY.test(key)) {
    throw new Problem('IDEMPOTENCY_KEY_INVALID', 'Send one Idempotency-Key of 1 to 255 visible ASCII characters.');
  }
  return key;
}

export function keyed(request: ApiRequest, key: string, body: unknown, stackId: string): Keyed {
  const { caller, route, parameters } = request;
  return {
    id: derivedId(stackId, caller.issuer, caller.client, route, JSON.stringify(parameters), key),
    requestHash: createHash('sha256').update(canonical(body)).digest('hex'),
  };
}

/** The first answer again. `accepted` is what it had beside its body when it was no refusal. */
export function replay(item: object, { requestHash }: Keyed, accepted: Answer): Answer {
  const { origin, refusedWith } = item as Partial<Refusal>;
  if (origin?.requestHash !== requestHash) {
    throw new Problem('IDEMPOTENCY_KEY_REUSED', 'This key was used with another request. Send a new key.');
  }
  const first =
    refusedWith === undefined
      ? accepted
      : { status: refusedWith, headers: { 'Content-Type': 'application/problem+json' } };
  return { ...first, body: origin.answer, headers: { ...first.headers, 'Idempotency-Replayed': 'true' } };
}

/** Whether the item is a refusal, and not what its id promises. */
export function isRefusal(item: object): boolean {
  return 'refusedWith' in item;
}

/** Stores a final refusal, and answers with it. */
export async function refuse(
  payments: Payments,
  kind: Kind,
  { id, requestHash }: Keyed,
  merchantId: string,
  request: ApiRequest,
  problem: Problem,
): Promise<Answer> {
  const answer = problemBody(problem, request.path, request.requestId);
  const refusal: Refusal = { merchantId, refusedWith: problem.status, origin: { requestHash, answer } };
  if (await payments.create(kind, id, refusal as unknown as NewItem<typeof kind>, { listed: false })) {
    throw problem;
  }
  return replay(await existing(payments, kind, id), { id, requestHash }, { status: problem.status });
}

/** Spaces and the order of keys are no difference. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
