/** Reads the query of a list: merchant, filters, limit and cursor. The cursor is the position where the page before ended. */
import * as z from 'zod/mini';
import { chargeStatuses, rfOrderStatuses, saleStatuses } from '../../payments/lifecycle.ts';
import type { ListQuery } from '../../payments/queries.ts';
import { Problem, type Violation } from '../problem.ts';
import type { ApiRequest } from '../request.ts';
import type { RouteOf } from '../routes.ts';
import { instant, merchantTrns, uuid } from '../schemas/fields.ts';

export const DEFAULT_LIMIT = 25;
export const MAX_LIMIT = 100;
const PLACE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#[\w-]{1,60}$/;

/** The filters of one kind of list. */
export interface Listing {
  readonly statuses: readonly string[];
  readonly hasMerchantTrns: boolean;
}

/** By route. */
export const listings = {
  'GET /sales': { statuses: saleStatuses, hasMerchantTrns: true },
  'GET /charges': { statuses: chargeStatuses, hasMerchantTrns: true },
  'GET /rf-orders': { statuses: rfOrderStatuses, hasMerchantTrns: true },
  'GET /cards': { statuses: ['active', 'expired'], hasMerchantTrns: false },
} as const satisfies Readonly<Record<RouteOf<'api/list-resources'>, Listing>>;

export const listParameters = [
  'merchantId',
  'merchantTrns',
  'status',
  'createdFrom',
  'createdTo',
  'limit',
  'cursor',
] as const;

const parameters = {
  merchantId: uuid,
  merchantTrns,
  createdFrom: instant,
  createdTo: instant,
  limit: z.string().check(z.regex(/^\d{1,3}$/, 'must be an integer')),
  cursor: z.string().check(z.refine((cursor) => PLACE.test(place(cursor)), 'must be the `next` of a page')),
};

export interface ListRequest extends Omit<ListQuery, 'where'> {
  readonly status: string | undefined;
  readonly merchantTrns: string | undefined;
}

export function listRequest({ query }: ApiRequest, { statuses, hasMerchantTrns }: Listing): ListRequest {
  const errors: Violation[] = [];
  const refuse = (parameter: string, detail: string) => {
    errors.push({ parameter, detail });
    return undefined;
  };
  const read = (name: keyof typeof parameters): string | undefined => {
    const given = query[name]?.[0];
    const result = given === undefined ? undefined : parameters[name].safeParse(given);
    if (result?.success === false) {
      const { message } = result.error.issues[0] ?? {};
      return refuse(name, message?.startsWith('must ') ? message : 'is not valid');
    }
    return result?.data;
  };
  const status = query['status']?.[0];
  const merchantId = read('merchantId');
  const limit = Number(read('limit') ?? DEFAULT_LIMIT);
  const [createdFrom, createdTo, cursor] = [read('createdFrom'), read('createdTo'), read('cursor')];
  if (query['merchantId'] === undefined) {
    refuse('merchantId', 'is required');
  }
  if (query['merchantTrns'] !== undefined && !hasMerchantTrns) {
    refuse('merchantTrns', 'is not a parameter of this request');
  }
  if (status !== undefined && !statuses.includes(status)) {
    refuse('status', `must be one of ${statuses.join(', ')}`);
  }
  if (limit < 1 || limit > MAX_LIMIT) {
    refuse('limit', `must be from 1 to ${MAX_LIMIT}`);
  }
  if (createdFrom !== undefined && createdTo !== undefined && createdFrom > createdTo) {
    refuse('createdTo', 'must not be before createdFrom');
  }
  if (cursor !== undefined && !within(place(cursor), createdFrom, createdTo)) {
    refuse('cursor', 'is of a list of other dates');
  }
  const request = { limit, status, merchantTrns: read('merchantTrns') };
  if (errors.length > 0 || merchantId === undefined) {
    throw new Problem('INVALID_REQUEST', 'The query has parameters that are not valid. See errors.', { errors });
  }
  return {
    ...request,
    merchantId,
    ...(createdFrom !== undefined && { createdFrom }),
    ...(createdTo !== undefined && { createdTo }),
    ...(cursor !== undefined && { after: place(cursor) }),
  };
}

export function cursorOf(next: string): string {
  return Buffer.from(next).toString('base64url');
}

function within(at: string, from: string | undefined, to: string | undefined): boolean {
  return (from === undefined || at >= from) && (to === undefined || at <= to);
}

function place(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString();
}
