/** GET of a merchant's sales, charges, cards or RF orders: newest first, page by page, without their timelines. */

import type { Endpoint } from '../../../shared/api/endpoint.ts';
import { cardRepresentation, cardStatus } from '../../../shared/api/representation/card.ts';
import { chargeRepresentation } from '../../../shared/api/representation/charge.ts';
import { rfOrderRepresentation } from '../../../shared/api/representation/rf-order.ts';
import { saleRepresentation } from '../../../shared/api/representation/sale.ts';
import {
  cursorOf,
  type Listing,
  type ListRequest,
  listings,
  listParameters,
  listRequest,
} from '../../../shared/api/requests/list.ts';
import { findAccount, viewOf } from '../../../shared/api/resources.ts';
import type { RouteOf } from '../../../shared/api/routes.ts';
import type { ListQuery } from '../../../shared/payments/queries.ts';
import type { Payments } from '../../../shared/payments/store.ts';

export interface ListResourcesDeps {
  readonly payments: Payments;
  readonly now: () => number;
}

interface Listed {
  readonly items: readonly object[];
  readonly next: string | undefined;
}

export const listResources: Endpoint<ListResourcesDeps> = {
  name: 'list-resources',
  query: listParameters,
  run: async (request, deps) => {
    const list = lists[request.route as RouteOf<'api/list-resources'>];
    const asked = listRequest(request, list);
    await findAccount(deps.payments, request.caller, asked.merchantId);
    const { items, next } = await list.page(asked, deps);
    const body = { items, ...(next !== undefined && { next: cursorOf(next) }) };
    return { status: 200, body: JSON.stringify(body) };
  },
};

interface List extends Listing {
  readonly page: (asked: ListRequest, deps: ListResourcesDeps) => Promise<Listed>;
}

const lists: Readonly<Record<RouteOf<'api/list-resources'>, List>> = {
  'GET /sales': {
    ...listings['GET /sales'],
    page: async (asked, { payments, now }) => {
      const { items, next } = await payments.list('sale', queryOf(asked));
      const views = await Promise.all(items.map((sale) => viewOf(payments, sale)));
      return { items: views.map((view) => withoutTimeline(saleRepresentation(view, now()))), next };
    },
  },
  'GET /charges': {
    ...listings['GET /charges'],
    page: async (asked, { payments }) => {
      const { items, next } = await payments.list('charge', queryOf(asked));
      return { items: items.map((charge) => withoutTimeline(chargeRepresentation(charge))), next };
    },
  },
  'GET /rf-orders': {
    ...listings['GET /rf-orders'],
    page: async (asked, { payments }) => {
      const { items, next } = await payments.list('rf-order', queryOf(asked));
      return { items: items.map((order) => withoutTimeline(rfOrderRepresentation(order))), next };
    },
  },
  'GET /cards': {
    ...listings['GET /cards'],
    // A card expires without a write, so its status is derived from its month here. Such a page may be short.
    page: async ({ status, ...asked }, { payments, now }) => {
      const { items, next } = await payments.list('card', queryOf({ ...asked, status: 'active' }));
      const cards = items.filter((card) => status === undefined || cardStatus(card, now()) === status);
      return { items: cards.map((card) => cardRepresentation(card, now())), next };
    },
  },
};

function queryOf({ status, merchantTrns, ...query }: ListRequest): ListQuery {
  const where = { ...(status !== undefined && { status }), ...(merchantTrns !== undefined && { merchantTrns }) };
  return { ...query, where };
}

function withoutTimeline<T extends { readonly timeline: unknown }>({ timeline: _, ...shown }: T): Omit<T, 'timeline'> {
  return shown;
}
