/**
 * POST /rf-orders: writes the order, creates it at the platform with its RF Payment Code, and answers with the code. If
 * the platform takes too long, the answer is that the order is being created, and the reconciler finishes. A refusal by
 * the platform is a problem, and the order is kept as `failed`.
 *
 * Safe to repeat: the id follows from the idempotency key, one attempt at a time works on an order, and the next one
 * continues where a dead one stopped. The first answer is stored and is the answer to every repeat.
 */

import type { Answer, Endpoint } from '../../../shared/api/endpoint.ts';
import { etagOf } from '../../../shared/api/etag.ts';
import { isRefusal, type Keyed, keyed, refuse, replay, requireKey } from '../../../shared/api/idempotency.ts';
import { Problem, problemBody } from '../../../shared/api/problem.ts';
import type { ProblemCode } from '../../../shared/api/problems.ts';
import { rfOrderRepresentation } from '../../../shared/api/representation/rf-order.ts';
import type { ApiRequest } from '../../../shared/api/request.ts';
import { readBody, validBody } from '../../../shared/api/requests/body.ts';
import { rfOrderRules } from '../../../shared/api/requests/rf-order.ts';
import { findAccount, notFound } from '../../../shared/api/resources.ts';
import { type RfOrderBody, rfOrderBody } from '../../../shared/api/schemas/rf-order.ts';
import { existing } from '../../../shared/payments/existing.ts';
import { type FailureCode, failures } from '../../../shared/payments/failures.ts';
import type { RfOrder, RfOrderOrigin } from '../../../shared/payments/items/rf-order.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { entry } from '../../../shared/payments/timeline.ts';
import type { ReconciliationDeps } from '../../../shared/reconciliation/deps.ts';
import { createAtPlatform, creationLease, takeOverCreation } from '../../../shared/reconciliation/rf-order/creation.ts';
import type { VivaFor } from '../../../shared/viva/viva.ts';
import { checkAccount, refusalOf } from './rules.ts';

export interface CreateRfOrderDeps {
  readonly payments: Payments;
  readonly vivaFor: VivaFor;
  /** Seeds the ids, so that two stacks never create the same id. */
  readonly stackId: string;
  readonly now: () => number;
}

/** The storefront gets its answer within 8 seconds; the platform gets what our own work leaves of them. */
const PLATFORM_MS = 6_500;
/** What the platform's client reserves for a write. */
const WRITE_DOWN_MS = 2_000;
const RETRY_AFTER_SECONDS = '2';
/** How an order can fail before its code is known, besides a refusal of the order itself. */
const refusals = [
  'ACCOUNT_NOT_READY',
  'RF_NOT_ENABLED',
  'RF_CODE_INVALID',
  'RF_NOT_CREATED',
] as const satisfies readonly (FailureCode & ProblemCode)[];

export const createRfOrder: Endpoint<CreateRfOrderDeps> = {
  name: 'create-rf-order',
  run: async (request, deps, invocation) => {
    const { payments, stackId, now } = deps;
    const answerBy = now() + PLATFORM_MS;
    const remainingMs = () => Math.min(invocation.remainingMs(), answerBy + WRITE_DOWN_MS - now());
    const key = requireKey(request);
    const json = readBody(request);
    const body = validBody(rfOrderBody, json, rfOrderRules);
    if (!request.caller.mayActFor(body.merchantId)) {
      throw notFound();
    }
    const asked = keyed(request, key, json, stackId);
    const known = await payments.get('rf-order', asked.id);
    if (known !== undefined) {
      return repeat(known, asked, request, { ...deps, remainingMs });
    }
    const account = await findAccount(payments, request.caller, body.merchantId);
    checkAccount(account, body);
    const refusal = refusalOf(account, body);
    if (refusal !== undefined) {
      return refuse(payments, 'rf-order', asked, body.merchantId, request, refusal);
    }
    return begin(body, asked, request, { ...deps, remainingMs });
  },
};

async function begin(body: RfOrderBody, asked: Keyed, request: ApiRequest, deps: ReconciliationDeps): Promise<Answer> {
  const { payments, now } = deps;
  const { id: rfOrderId, requestHash } = asked;
  const order = {
    ...body,
    rfOrderId,
    status: 'creating' as const,
    ...creationLease(now()),
    amountPaid: 0,
    payments: [],
    late: false,
    overpaid: false,
    origin: { requestHash },
    timeline: [entry(now(), 'rf_order.requested')],
  };
  const isFirst = await payments.create('rf-order', rfOrderId, order);
  const stored = await existing(payments, 'rf-order', rfOrderId);
  if (!isFirst) {
    return repeat(stored, asked, request, deps);
  }
  const created = await createAtPlatform(stored, deps);
  // One more attempt while the storefront waits: the reconciler runs only minutes later.
  return storeAnswer(created.status === 'creating' ? await takeOverCreation(created, deps) : created, request, deps);
}

async function repeat(order: RfOrder, asked: Keyed, request: ApiRequest, deps: ReconciliationDeps): Promise<Answer> {
  if (isRefusal(order) || order.origin.answer !== undefined || order.origin.requestHash !== asked.requestHash) {
    return replay(order, asked, firstAnswer(order, request));
  }
  const current = order.status === 'creating' ? await takeOverCreation(order, deps) : order;
  // mutant logic: without a time there is NaN, which is not later either
  if (current.status === 'creating' && Date.parse(current.workingUntil ?? '') > deps.now()) {
    throw new Problem(
      'RF_ORDER_IN_PROGRESS',
      'The first request with this key is not finished. Repeat it after Retry-After.',
      {
        headers: { 'Retry-After': RETRY_AFTER_SECONDS },
      },
    );
  }
  return storeAnswer(current, request, deps);
}

/**
 * Stores the answer before it is given. When two attempts answer for the first time, the second one gives the first
 * one's answer.
 */
async function storeAnswer(
  { rfOrderId }: RfOrder,
  request: ApiRequest,
  { payments }: ReconciliationDeps,
): Promise<Answer> {
  const order = await payments.change('rf-order', rfOrderId, (item) =>
    item.origin.answer === undefined ? { origin: { ...item.origin, ...answerTo(item, request) } } : undefined,
  );
  // mutant logic: the change has just seen to it that there is an answer
  return { ...firstAnswer(order, request), body: order.origin.answer ?? '' };
}

function answerTo(order: RfOrder, request: ApiRequest): Pick<RfOrderOrigin, 'answer' | 'answeredWith' | 'etag'> {
  if (order.status === 'failed') {
    const problem = refused(order);
    return { answer: problemBody(problem, request.path, request.requestId), answeredWith: problem.status };
  }
  return {
    answer: JSON.stringify(rfOrderRepresentation(order)),
    answeredWith: order.status === 'creating' ? 202 : 201,
    etag: etagOf(order.revision),
  };
}

function firstAnswer({ rfOrderId, origin }: RfOrder, request: ApiRequest): Answer {
  const { answeredWith = 201, etag } = origin;
  return {
    status: answeredWith,
    headers:
      etag === undefined
        ? { 'Content-Type': 'application/problem+json' }
        : { Location: `${request.path}/${rfOrderId}`, ETag: etag },
  };
}

function refused({ rfOrderId, failure }: RfOrder): Problem {
  const code = refusals.find((known) => known === failure?.code) ?? 'RF_ORDER_REFUSED';
  return new Problem(code, failures[code].message, { members: { rfOrderId, platform: failure?.platform } });
}
