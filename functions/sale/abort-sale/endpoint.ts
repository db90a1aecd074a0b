/**
 * POST /sales/{saleId}/abort: asks for the terminal to stop. The wish is written down and wakes whoever waits for the
 * terminal; the terminal's answer decides. From here on the additional charge is withdrawn, whatever that answer is.
 *
 * Needs no key: asking again changes nothing.
 */

import type { Endpoint } from '../../../shared/api/endpoint.ts';
import { Problem } from '../../../shared/api/problem.ts';
import { saleRepresentation } from '../../../shared/api/representation/sale.ts';
import type { ApiRequest } from '../../../shared/api/request.ts';
import { readBody, validBody } from '../../../shared/api/requests/body.ts';
import { findItem, saleEtag, viewOf } from '../../../shared/api/resources.ts';
import { nothing } from '../../../shared/api/schemas/fields.ts';
import { errorName } from '../../../shared/flow/errors.ts';
import type { RetryTask } from '../../../shared/flow/tasks.ts';
import type { Sale } from '../../../shared/payments/items.ts';
import { saleReportedUnpaid, terminalEnded } from '../../../shared/payments/lifecycle.ts';
import type { Patch, Payments } from '../../../shared/payments/store.ts';
import { iso } from '../../../shared/payments/time.ts';
import { appended, entry } from '../../../shared/payments/timeline.ts';

export interface AbortSaleDeps {
  readonly payments: Payments;
  readonly retryTask: RetryTask;
  readonly now: () => number;
}

export const abortSale: Endpoint<AbortSaleDeps> = {
  name: 'abort-sale',
  run: async (request, { payments, retryTask, now }) => {
    checkBody(request);
    const { saleId } = await findItem(payments, request.caller, 'sale', request.parameters['saleId']);
    const { item: sale, won } = await payments.claim('sale', saleId, (item) => abortRequested(item, now()));
    if (won && sale.taskToken !== undefined) {
      await retryTask(sale.taskToken, errorName.transient, 'ABORT_REQUESTED');
    }
    const view = await viewOf(payments, sale);
    return {
      status: 202,
      headers: { ETag: saleEtag(view, now()) },
      body: JSON.stringify(saleRepresentation(view, now())),
    };
  },
};

function abortRequested(sale: Sale, at: number): Patch<'sale'> | undefined {
  const paid = sale.transactionId !== undefined && !saleReportedUnpaid(sale.status); // a refused payment has one, too
  if (paid) {
    throw new Problem(
      'SALE_NOT_ABORTABLE',
      'The terminal took the payment. Give it back in the portal of the platform.',
    );
  }
  if (!isOpen(sale) || sale.abortRequestedAt !== undefined) {
    return undefined;
  }
  return {
    abortRequestedAt: iso(at),
    timeline: appended(sale.timeline, entry(at, 'sale.abort_requested')),
  };
}

/** The terminal has no outcome yet. */
function isOpen({ status, transactionId }: Sale): boolean {
  return !terminalEnded(status) && transactionId === undefined;
}

function checkBody(request: ApiRequest): void {
  if (request.body !== undefined) {
    validBody(nothing, readBody(request));
  }
}
