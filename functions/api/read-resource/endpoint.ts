/** GET of one sale, charge, card or RF order. With `Prefer: wait` it answers as soon as the resource is final or has changed. */

import type { Endpoint } from '../../../shared/api/endpoint.ts';
import { etagOf, matches } from '../../../shared/api/etag.ts';
import { cardRepresentation } from '../../../shared/api/representation/card.ts';
import { chargeRepresentation } from '../../../shared/api/representation/charge.ts';
import { rfOrderRepresentation } from '../../../shared/api/representation/rf-order.ts';
import { saleRepresentation } from '../../../shared/api/representation/sale.ts';
import type { ApiRequest } from '../../../shared/api/request.ts';
import { cardEtag, findCard, findItem, saleEtag, viewOf } from '../../../shared/api/resources.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { waitPreference } from './prefer.ts';

const POLL_MS = 300;
/** Reserved for the last read and the answer. */
const RESERVE_MS = 2_000;

export interface ReadResourceDeps {
  readonly payments: Payments;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

interface Shown {
  readonly etag: string;
  readonly representation: { readonly final: boolean };
}

export const readResource: Endpoint<ReadResourceDeps> = {
  name: 'read-resource',
  run: async (request, deps, { remainingMs }) => {
    const { now, sleep } = deps;
    const ifNoneMatch = request.header('If-None-Match');
    const waitSeconds = waitPreference(request.header('Prefer'));
    // mutant logic: without a wait the end of it is NaN, and no time is before that
    const waitUntil = now() + Math.min((waitSeconds ?? 0) * 1000, remainingMs() - RESERVE_MS);
    const isNews = ({ etag, representation }: Shown) =>
      representation.final || (ifNoneMatch.length > 0 && !matches(ifNoneMatch, etag));

    let shown = await show(request, deps);
    while (!isNews(shown) && now() < waitUntil) {
      await sleep(Math.min(POLL_MS, waitUntil - now()));
      shown = await show(request, deps);
    }
    const headers = {
      ETag: shown.etag,
      ...(waitSeconds !== undefined && { 'Preference-Applied': `wait=${waitSeconds}` }),
    };
    return matches(ifNoneMatch, shown.etag)
      ? { status: 304, headers }
      : { status: 200, headers, body: JSON.stringify(shown.representation) };
  },
};

async function show({ route, caller, parameters }: ApiRequest, { payments, now }: ReadResourceDeps): Promise<Shown> {
  switch (route) {
    case 'GET /sales/{saleId}': {
      const view = await viewOf(payments, await findItem(payments, caller, 'sale', parameters['saleId']));
      return { etag: saleEtag(view, now()), representation: saleRepresentation(view, now()) };
    }
    case 'GET /charges/{chargeId}': {
      const charge = await findItem(payments, caller, 'charge', parameters['chargeId']);
      return { etag: etagOf(charge.revision), representation: chargeRepresentation(charge) };
    }
    case 'GET /cards/{cardId}': {
      const card = await findCard(payments, caller, parameters['cardId']);
      return { etag: cardEtag(card, now()), representation: cardRepresentation(card, now()) };
    }
    case 'GET /rf-orders/{rfOrderId}': {
      const order = await findItem(payments, caller, 'rf-order', parameters['rfOrderId']);
      return { etag: etagOf(order.revision), representation: rfOrderRepresentation(order) };
    }
    default:
      throw new Error(`the template sends ${route} to a function that does not know it`);
  }
}
