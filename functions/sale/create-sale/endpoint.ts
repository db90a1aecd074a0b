/**
 * POST /sales: writes the sale down, and its additional charge, and starts the execution that does the rest.
 *
 * Safe to repeat: ids follow from the idempotency key, every item is created only if absent, the terminal's lease is the
 * same for the same sale, and an execution starts once under its name. A repeat answers with the stored first answer, and
 * starts what a crash or an outage kept from starting.
 */

import type { Answer, Endpoint } from '../../../shared/api/endpoint.ts';
import { etagOf } from '../../../shared/api/etag.ts';
import { isRefusal, type Keyed, keyed, refuse, replay, requireKey } from '../../../shared/api/idempotency.ts';
import { saleRepresentation } from '../../../shared/api/representation/sale.ts';
import type { ApiRequest } from '../../../shared/api/request.ts';
import { readBody } from '../../../shared/api/requests/body.ts';
import { validSaleBody } from '../../../shared/api/requests/sale.ts';
import { findAccount, notFound } from '../../../shared/api/resources.ts';
import type { SaleBody } from '../../../shared/api/schemas/sale.ts';
import { type Executions, startOrUnavailable } from '../../../shared/flow/executions.ts';
import { existing } from '../../../shared/payments/existing.ts';
import type { Sale } from '../../../shared/payments/items.ts';
import type { NewItem, Payments } from '../../../shared/payments/store.ts';
import { iso } from '../../../shared/payments/time.ts';
import { type NewSale, newCharge, newSale } from './items.ts';
import { leaseTerminal } from './lease.ts';
import { checkAccount, refusalOf } from './rules.ts';

export interface CreateSaleDeps {
  readonly payments: Payments;
  readonly executions: Executions;
  /** Seeds the ids, so that two stacks never make the same one. */
  readonly stackId: string;
  readonly now: () => number;
}

export const createSale: Endpoint<CreateSaleDeps> = {
  name: 'create-sale',
  run: async (request, deps) => {
    const { payments, stackId, now } = deps;
    const key = requireKey(request);
    const json = readBody(request);
    const body = validSaleBody(json);
    if (!request.caller.mayActFor(body.merchantId)) {
      throw notFound();
    }
    const asked = keyed(request, key, json, stackId);
    const known = await payments.get('sale', asked.id);
    if (known !== undefined) {
      return repeat(known, asked, request, deps);
    }

    const account = await findAccount(payments, request.caller, body.merchantId);
    checkAccount(account, body);
    const refusal = refusalOf(account, body);
    if (refusal !== undefined) {
      return refuse(payments, 'sale', asked, body.merchantId, request, refusal);
    }
    await leaseTerminal(payments, { ...body, saleId: asked.id }, now());
    return begin(body, asked, request, deps);
  },
};

async function begin(body: SaleBody, asked: Keyed, request: ApiRequest, deps: CreateSaleDeps): Promise<Answer> {
  const { payments, executions, now } = deps;
  const executionArn = executions.arnOf(asked.id);
  const at = now();
  const charge = await createCharge(newCharge(body, asked, executionArn, at), payments);
  const sale = newSale(body, asked, charge?.chargeId, executionArn, at);
  const answer = firstAnswer(sale, charge, at);
  const origin = { requestHash: asked.requestHash, answer };
  if (!(await payments.create('sale', asked.id, { ...sale, origin }))) {
    return repeat(await existing(payments, 'sale', asked.id), asked, request, deps);
  }
  await start(sale, deps);
  return { ...accepted(sale, request), body: answer };
}

/**
 * Resolves to the charge that stands under this id. It may be one of a request that broke off after it, and may have been
 * given up since: then it stays given up, and the answer says so.
 */
async function createCharge(
  charge: NewItem<'charge'> | undefined,
  payments: Payments,
): Promise<NewItem<'charge'> | undefined> {
  return charge === undefined || (await payments.create('charge', charge.chargeId, charge))
    ? charge
    : existing(payments, 'charge', charge.chargeId);
}

function firstAnswer(sale: NewSale, charge: NewItem<'charge'> | undefined, at: number): string {
  const createdAt = iso(at);
  const stored = { createdAt, updatedAt: createdAt, revision: 1 };
  const origin = { requestHash: '', answer: '' }; // never shown
  const view = { sale: { ...sale, ...stored, origin }, charge: charge && { ...stored, ...charge } };
  return JSON.stringify(saleRepresentation(view, at));
}

async function repeat(sale: Sale, asked: Keyed, request: ApiRequest, deps: CreateSaleDeps): Promise<Answer> {
  const answer = replay(sale, asked, accepted(sale, request));
  if (!isRefusal(sale) && sale.status === 'created') {
    await start(sale, deps);
  }
  return answer;
}

function accepted({ saleId, chargeId }: NewSale, request: ApiRequest): Answer {
  const ETag = etagOf(1, chargeId === undefined ? undefined : 1);
  return { status: 202, headers: { Location: `${request.path}/${saleId}`, ETag } };
}

function start({ saleId, chargeId }: NewSale, { executions }: CreateSaleDeps): Promise<void> {
  return startOrUnavailable(executions, saleId, { saleId, cardId: null, chargeId: chargeId ?? null });
}
