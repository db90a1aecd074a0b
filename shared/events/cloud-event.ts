/**
 * An event as others get it: a CloudEvent with ids and a status. For more, receivers read the API with their own token.
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

function idsOf(item: PublishedItem): Readonly<Record<string, string>> {
  if ('rfOrderId' in item) {
    return { rfOrderId: item.rfOrderId };
  }
  const { saleId, chargeId, transactionId } = item;
  return defined({ saleId, chargeId, transactionId });
}
