/**
 * Idempotency keys. The id of a created item is derived from the caller, the route and the key, so a repeat finds the item
 * of the first request. The item holds the hash of that request and its answer, so the repeat gets the same bytes.
 *
 * A refusal by a business rule is stored under the same id: the key is used, and always gets this answer.
 */
import { createHash } from 'node:crypto';
import { existing } from '../payments/existing.ts';
import type { Origin } from '../payments/items/common.ts';
import type { Kind } from '../payments/items.ts';
import { derivedId } from '../payments/references.ts';
import type { NewItem, Payments } from '../payments/store.ts';
import type { Answer } from './endpoint.ts';
import { Problem, problemBody } from './problem.ts';
import type { ApiRequest } from './request.ts';

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** A request that can be repeated. */
export interface Keyed {
  /** A UUID. It differs between stacks. */
  readonly id: string;
  readonly requestHash: string;
}

/** Stored instead of the item that the request would have created. */
interface Refusal {
  readonly merchantId: string;
  readonly refusedWith: number;
  readonly origin: Origin;
}

/** Throws if the key is missing or malformed. */
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

/** Repeats the first answer. `accepted`: the status and headers of an answer that was not a refusal. */
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

/** Whether the item is a stored refusal. */
export function isRefusal(item: object): boolean {
  return 'refusedWith' in item;
}

/** Stores a final refusal and returns it as the answer. */
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

/** Spaces and the order of keys make no difference. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
