/**
 * POST /charges/{chargeId}/capture: reserves the one capture of a pre-authorization in the charge, in one conditional
 * write, and wakes the execution that waits for it.
 *
 * Safe to repeat: the capture's id follows from the idempotency key, so a repeat finds its own reservation, answers with
 * its first answer, and wakes again what may have missed it. A repeat of a capture that was refused stays refused: another
 * try is another key.
 */

import type { Answer, Endpoint } from '../../../shared/api/endpoint.ts';
import { type Keyed, keyed, refuse, replay, requireKey } from '../../../shared/api/idempotency.ts';
import { Problem } from '../../../shared/api/problem.ts';
import type { ApiRequest } from '../../../shared/api/request.ts';
import { readBody, validBody } from '../../../shared/api/requests/body.ts';
import { captureRules } from '../../../shared/api/requests/charge.ts';
import { findAccount, findItem } from '../../../shared/api/resources.ts';
import { type CaptureBody, captureBody } from '../../../shared/api/schemas/charge.ts';
import type { CompleteTask } from '../../../shared/flow/tasks.ts';
import type { Charge } from '../../../shared/payments/items.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { reserved } from './reservation.ts';

export interface RequestCaptureDeps {
  readonly payments: Payments;
  readonly completeTask: CompleteTask;
  readonly stackId: string;
  readonly now: () => number;
}

export const requestCapture: Endpoint<RequestCaptureDeps> = {
  name: 'request-capture',
  run: async (request, deps) => {
    const { payments, stackId } = deps;
    const key = requireKey(request);
    const json = readBody(request);
    const body = validBody(captureBody, json, captureRules);
    const charge = await findItem(payments, request.caller, 'charge', request.parameters['chargeId']);
    const asked = keyed(request, key, json, stackId);
    const refused = await payments.get('charge', asked.id);
    if (refused !== undefined) {
      return replay(refused, asked, accepted(request));
    }
    await checkIsvAmount(charge, body, request, payments);
    return reserve(charge, body, asked, request, deps);
  },
};

async function reserve(
  { chargeId, merchantId }: Charge,
  body: CaptureBody,
  asked: Keyed,
  request: ApiRequest,
  deps: RequestCaptureDeps,
): Promise<Answer> {
  const { payments, completeTask, now } = deps;
  let claim: { readonly item: Charge; readonly won: boolean };
  try {
    claim = await payments.claim('charge', chargeId, (item) =>
      captureOf(item, asked) === undefined ? reserved(item, body, asked, now()) : undefined,
    );
  } catch (error) {
    if (error instanceof Problem && error.status === 422) {
      return refuse(payments, 'charge', asked, merchantId, request, error);
    }
    throw error;
  }
  const { item: charge, won } = claim;
  const capture = captureOf(charge, asked);
  const answer = replay({ origin: capture?.origin }, asked, accepted(request));
  if (charge.taskToken !== undefined && capture?.status === 'pending' && capture.sentAt === undefined) {
    await completeTask(charge.taskToken);
  }
  return won ? { ...answer, ...accepted(request) } : answer;
}

function captureOf(charge: Charge, { id }: Keyed) {
  return charge.captures.find(({ captureId }) => captureId === id);
}

function accepted({ path }: ApiRequest): Answer {
  return { status: 202, headers: { Location: path.slice(0, path.lastIndexOf('/')) } };
}

async function checkIsvAmount(
  charge: Charge,
  { isvAmount = 0 }: CaptureBody,
  { caller }: ApiRequest,
  payments: Payments,
): Promise<void> {
  if (isvAmount !== 0 && (await findAccount(payments, caller, charge.merchantId)).mode !== 'isv') {
    throw new Problem('ISV_AMOUNT_NOT_OFFERED', 'This account does not support an ISV share here. Send isvAmount 0.', {
      errors: [{ pointer: '/isvAmount', detail: 'must be 0 for this account' }],
    });
  }
}
