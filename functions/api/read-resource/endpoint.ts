/** GET of one sale, charge, card or RF order. With `Prefer: wait` it answers as soon as the resource is final or has changed. */

import type { Endpoint } from '../../../shared/api/endpoint.ts';
import { etagOf, matches } from '../../../shared/api/etag.ts';
import { cardRepresentation } from '../../../shared/api/representation/card.ts';
import { chargeRepresentation } from '../../../shared/api/representation/charge.ts';
import { rfOrderRepresentation } from '../../../shared/api/representation/rf-order.ts';
import { saleRepresentation } from '../../../shared/api/representation/sale.ts';
import type { Caller } from '../../../shared/api/request.ts';
import { cardEtag, findCard, findItem, saleEtag, viewOf } from '../../../shared/api/resources.ts';
import type { RouteOf } from '../../../shared/api/routes.ts';
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

    const [id] = Object.values(request.parameters);
    const show = () => resources[request.route as RouteOf<'api/read-resource'>](id, request.caller, deps);
    let shown = await show();
    while (!isNews(shown) && now() < waitUntil) {
      await sleep(Math.min(POLL_MS, waitUntil - now()));
      shown = await show();
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

type Show = (id: string | undefined, caller: Caller, deps: ReadResourceDeps) => Promise<Shown>;

const resources: Readonly<Record<RouteOf<'api/read-resource'>, Show>> = {
  'GET /sales/{saleId}': async (id, caller, { payments, now }) => {
    const view = await viewOf(payments, await findItem(payments, caller, 'sale', id));
    return { etag: saleEtag(view, now()), representation: saleRepresentation(view, now()) };
  },
  'GET /charges/{chargeId}': async (id, caller, { payments }) => {
    const charge = await findItem(payments, caller, 'charge', id);
    return { etag: etagOf(charge.revision), representation: chargeRepresentation(charge) };
  },
  'GET /cards/{cardId}': async (id, caller, { payments, now }) => {
    const card = await findCard(payments, caller, id);
    return { etag: cardEtag(card, now()), representation: cardRepresentation(card, now()) };
  },
  'GET /rf-orders/{rfOrderId}': async (id, caller, { payments }) => {
    const order = await findItem(payments, caller, 'rf-order', id);
    return { etag: etagOf(order.revision), representation: rfOrderRepresentation(order) };
  },
};
