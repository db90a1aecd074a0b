/**
 * The published form of an event: a CloudEvent with ids and a status only. A receiver reads the rest through the API, with
 * its own rights.
 */
import type * as z from 'zod/mini';
import type * as schemas from '../api/schemas/event.ts';
import type { OutboxEvent } from '../payments/items/common.ts';
import type { Items } from '../payments/items.ts';
import type { PublishedKind } from '../payments/outbox.ts';
import { defined } from '../viva/answers.ts';

export type PublishedItem = Items[PublishedKind];

export type CloudEvent = Readonly<z.output<typeof schemas.cloudEvent>>;

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

type Ids = Partial<z.output<typeof schemas.cloudEventData>>;

const idsOf: { readonly [K in PublishedKind]: (item: Items[K]) => Ids } = {
  sale: ({ saleId, chargeId, transactionId }) => defined({ saleId, chargeId, transactionId }),
  charge: ({ saleId, chargeId, transactionId }) => defined({ saleId, chargeId, transactionId }),
  'rf-order': ({ rfOrderId }) => ({ rfOrderId }),
};
