/** Webhooks as the platform writes them, reduced to the fields that matter here. */
import type { ReceivedWebhook } from '../../shared/webhooks/inbox.ts';

export const ORDER_CODE = '9107199254740993';
export const TRANSACTION_ID = '6f1f7a52-0000-4c53-8f1c-0000000000aa';
export const RF_ORDER_ID = '7e6c1f8e-5b0f-4c57-9a53-0a1b6f2f7f30';

let last = 0;

function messageId(): string {
  last++;
  return `0f000000-0000-4000-8000-${String(last).padStart(12, '0')}`;
}

/** The text of a webhook; an order code is written as the number that it is on the wire. */
export function envelope(eventTypeId: number, eventData: object, more: object = {}): string {
  return JSON.stringify({
    Url: 'https://example.invalid',
    EventData: eventData,
    Created: '2026-11-21T10:00:00.0000000Z',
    CorrelationId: '26-325-0A0A0A0A',
    EventTypeId: eventTypeId,
    Delay: null,
    RetryCount: 17,
    MessageId: messageId(),
    MessageTypeId: 512,
    ...more,
  }).replace(/"OrderCode":"(\d+)"/, '"OrderCode":$1');
}

export function receivedWebhook(
  recipient: string,
  body: Partial<ReceivedWebhook['body']> & { readonly eventTypeId: number },
): ReceivedWebhook {
  const id = messageId();
  return { recipient, sourceIp: '20.50.240.57', body: { messageId: id, subject: id, ...body } };
}
