/**
 * An event as others get it: a CloudEvent with ids and a status. For more, receivers read the API with their own token.
 */
import type * as z from 'zod/mini';
import type * as schemas from '../api/schemas/event.ts';
import type { Items, OutboxEvent } from '../payments/items.ts';
import { defined } from '../viva/answers.ts';

/** The kinds whose changes are published. */
export type PublishedKind = 'sale' | 'charge' | 'rf-order';
export type PublishedItem = Items[PublishedKind];

export type CloudEvent = Readonly<z.output<typeof schemas.cloudEvent>>;

export function cloudEvent(item: PublishedItem, { eventId, type, at, status }: OutboxEvent): CloudEvent {
  return {
    specversion: '1.0',
    id: eventId,
    source: 'tillflow',
    type,
    time: at,
    subject: idOf(item),
    datacontenttype: 'application/json',
    data: { merchantId: item.merchantId, ...idsOf(item), status },
  };
}

function idOf(item: PublishedItem): string {
  if ('rfOrderId' in item) {
    return item.rfOrderId;
  }
  return 'terminalId' in item ? item.saleId : item.chargeId;
}

function idsOf(item: PublishedItem): Partial<z.output<typeof schemas.eventData>> {
  if ('rfOrderId' in item) {
    return { rfOrderId: item.rfOrderId };
  }
  const { saleId, chargeId, transactionId } = item;
  return defined({ saleId, chargeId, transactionId });
}
