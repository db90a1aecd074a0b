/** The body of a callback, and the detail of an event on the bus: a CloudEvent. */
import * as z from 'zod/mini';
import {
  chargeEnded,
  chargeStatuses,
  rfOrderEnded,
  rfOrderStatuses,
  saleStatuses,
  terminalEnded,
} from '../../payments/lifecycle.ts';
import { eventType } from '../../payments/outbox.ts';
import { id, time } from './fields.ts';

export const cloudEventData = z.object({
  merchantId: id,
  saleId: z.optional(id),
  chargeId: z.optional(id),
  rfOrderId: z.optional(id),
  transactionId: z.optional(id),
  status: z.string(),
});

export const cloudEvent = z.object({
  specversion: z.enum(['1.0']),
  id,
  source: z.enum(['tillflow']),
  type: z.enum(eventTypes()),
  time,
  subject: id,
  datacontenttype: z.enum(['application/json']),
  data: cloudEventData,
});

/** All end states. */
function eventTypes(): string[] {
  return [
    ...saleStatuses.filter(terminalEnded).map((status) => eventType('sale', status)),
    ...chargeStatuses.filter(chargeEnded).map((status) => eventType('charge', status)),
    ...rfOrderStatuses.filter(rfOrderEnded).map((status) => eventType('rf-order', status)),
  ];
}
