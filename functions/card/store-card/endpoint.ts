/**
 * POST /cards: writes down the request to store the card of a transaction made elsewhere, and starts the execution that
 * does it. The request becomes an alias of the card it leads to.
 *
 * Safe to repeat: the id follows from the idempotency key, and an execution starts once under its name.
 */

import type { Answer, Endpoint } from '../../../shared/api/endpoint.ts';
import { etagOf } from '../../../shared/api/etag.ts';
import { type Keyed, keyed, replay, requireKey } from '../../../shared/api/idempotency.ts';
import { cardRepresentation } from '../../../shared/api/representation/card.ts';
import type { ApiRequest } from '../../../shared/api/request.ts';
import { readBody, validBody } from '../../../shared/api/requests/body.ts';
import { findAccount, notFound } from '../../../shared/api/resources.ts';
import { type CardBody, cardBody } from '../../../shared/api/schemas/card.ts';
import { type Executions, startOrUnavailable } from '../../../shared/flow/executions.ts';
import { existing } from '../../../shared/payments/existing.ts';
import type { Card } from '../../../shared/payments/items.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { iso } from '../../../shared/payments/time.ts';
import { entry } from '../../../shared/payments/timeline.ts';

export interface StoreCardDeps {
  readonly payments: Payments;
  readonly executions: Executions;
  readonly stackId: string;
  readonly now: () => number;
}

export const storeCard: Endpoint<StoreCardDeps> = {
  name: 'store-card',
  run: async (request, deps) => {
    const { payments, stackId } = deps;
    const key = requireKey(request);
    const json = readBody(request);
    const body = validBody(cardBody, json);
    if (!request.caller.mayActFor(body.merchantId)) {
      throw notFound();
    }
    const asked = keyed(request, key, json, stackId);
    const cardId = `card_${asked.id.replaceAll('-', '')}`;
    const known = await payments.get('card', cardId);
    if (known !== undefined) {
      return repeat(known, asked, request, deps);
    }
    await findAccount(payments, request.caller, body.merchantId);
    return begin(cardId, body, asked, request, deps);
  },
};

async function begin(
  cardId: string,
  body: CardBody,
  asked: Keyed,
  request: ApiRequest,
  deps: StoreCardDeps,
): Promise<Answer> {
  const { payments, executions, now } = deps;
  const at = now();
  const card = {
    ...body,
    cardId,
    status: 'pending' as const,
    executionArn: executions.arnOf(cardId),
    timeline: [entry(at, 'card.requested')],
  };
  const createdAt = iso(at);
  const answer = JSON.stringify(cardRepresentation({ ...card, createdAt, updatedAt: createdAt, revision: 1 }, at));
  const origin = { requestHash: asked.requestHash, answer };
  if (!(await payments.create('card', cardId, { ...card, origin }, { listed: false }))) {
    return repeat(await existing(payments, 'card', cardId), asked, request, deps);
  }
  await start(cardId, deps);
  return { ...accepted(cardId, request), body: answer };
}

async function repeat(card: Card, asked: Keyed, request: ApiRequest, deps: StoreCardDeps): Promise<Answer> {
  const answer = replay(card, asked, accepted(card.cardId, request));
  if (card.status === 'pending') {
    await start(card.cardId, deps);
  }
  return answer;
}

function accepted(cardId: string, request: ApiRequest): Answer {
  return { status: 202, headers: { Location: `${request.path}/${cardId}`, ETag: etagOf(1) } };
}

function start(cardId: string, { executions }: StoreCardDeps): Promise<void> {
  return startOrUnavailable(executions, cardId, { saleId: null, cardId, chargeId: null });
}
