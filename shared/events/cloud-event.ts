/**
 * The published form of an event: a CloudEvent with ids and a status only. A receiver reads the rest through the API, with
 * its own rights.
 */
import type { Items, OutboxEvent } from '../payments/items.ts';
import { defined } from '../viva/answers.ts';

/** The kinds whose changes are published. */
export type PublishedKind = 'sale' | 'charge' | 'rf-order';
export type PublishedItem = Items[PublishedKind];

export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: 'tillflow';
  readonly type: string;
  readonly time: string;
  /** The id of the sale, charge or RF order. */
  readonly subject: string;
  readonly datacontenttype: 'application/json';
  readonly data: Readonly<Record<string, string>>;
}

export function cloudEvent<K extends PublishedKind>(
  kind: K,
  id: string,
  item: Items[K],
  { eventId, type, at, status }: OutboxEvent,
): CloudEvent {
  return {
    specversion: '1.0',
    id: eventId,
    source: 'tillflow',
    type,
    time: at,
    subject: id,
    datacontenttype: 'application/json',
    data: { merchantId: item.merchantId, ...idsOf[kind](item), status },
  };
}

const idsOf: { readonly [K in PublishedKind]: (item: Items[K]) => Readonly<Record<string, string>> } = {
  sale: ({ saleId, chargeId, transactionId }) => defined({ saleId, chargeId, transactionId }),
  charge: ({ saleId, chargeId, transactionId }) => defined({ saleId, chargeId, transactionId }),
  'rf-order': ({ rfOrderId }) => ({ rfOrderId }),
};
