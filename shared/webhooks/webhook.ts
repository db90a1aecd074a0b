/**
 * What we take from a webhook: its type, and which ids it names. Nothing else is kept, card data above all. A
 * webhook proves nothing: what it names is read from the platform.
 *
 * Unknown fields pass, and webhooks of types without an effect may hold anything. In all others, the fields that we
 * read must have the documented type. Order codes and currencies come as numbers and as text (docs/viva.md,
 * "Webhooks").
 */
import * as z from 'zod/mini';
import { Problem } from '../api/problem.ts';
import { checkedJsonText } from '../api/requests/json-text.ts';
import { idAtEndOf, UUID } from '../payments/references.ts';
import { defined, optionalText } from '../viva/answers.ts';
import { parseJson } from '../viva/json.ts';
import { currencyOf } from '../viva/money.ts';

export interface WebhookBody {
  readonly messageId: string;
  readonly eventTypeId: number;
  /** Our own id, else an order code, else a transaction id, else the webhook's own id. */
  readonly subject: string;
  readonly transactionId?: string;
  readonly orderCode?: string;
  readonly sessionId?: string;
  readonly merchantId?: string;
  /** ISO 4217 letters. */
  readonly currency?: string;
  /** The kind of an account movement (2054). */
  readonly subTypeId?: number;
}

/** The types that make us read the platform. */
export const webhookTypes = {
  paymentCreated: 1796,
  reversalCreated: 1797,
  transactionFailed: 1798,
  priceCalculated: 1799,
  sessionCreated: 1802,
  sessionFailed: 1803,
  accountTransactionCreated: 2054,
  orderUpdated: 4865,
} as const;

/** Movements that are no bank transfer: a card payment, and the clearance of one (docs/viva.md, "Webhooks"). */
const CARD_MOVEMENTS: ReadonlySet<number | undefined> = new Set([22, 80, 81, 82, 83, 84, 85, 86, 87]);

const WITH_EFFECT: ReadonlySet<number> = new Set(Object.values(webhookTypes));
const ANY_CASE_UUID = new RegExp(UUID, 'i');
const ORDER_CODE = /^[1-9]\d{0,18}$/;
const MESSAGE_ID = /^[\w.:-]{1,64}$/;

const envelope = z.object({
  EventTypeId: z.int().check(z.positive()),
  MessageId: z.string().check(z.regex(MESSAGE_ID)),
  EventData: z.unknown(),
});

const webhookData = z.object({
  SessionId: optionalText,
  MerchantTrns: optionalText,
  OrderCode: shaped(/^\d{1,19}$/),
  TransactionId: shaped(ANY_CASE_UUID),
  SaleTransactionId: shaped(ANY_CASE_UUID),
  MerchantId: shaped(ANY_CASE_UUID),
  CurrencyCode: shaped(/^\w{1,3}$/),
  Amount: shaped(/^-?\d+(\.\d+)?(E[+-]?\d+)?$/i),
  StatusId: optionalText,
  SubTypeId: shaped(/^-?\d{1,9}$/),
  IsCancelled: z.nullish(z.union([z.boolean(), z.string()])),
});

/** Throws a Problem when the body is not a webhook. */
export function readWebhook(body: Buffer): WebhookBody {
  const json = parseJson(checkedJsonText(body));
  if (json === undefined) {
    throw new Problem('INVALID_JSON', 'The body is not valid JSON.');
  }
  const parsed = envelope.safeParse(json);
  if (!parsed.success) {
    throw notAWebhook();
  }
  const { EventTypeId, MessageId, EventData } = parsed.data;
  const told = webhookData.safeParse(EventData);
  if (!told.success && WITH_EFFECT.has(EventTypeId)) {
    throw notAWebhook();
  }
  const data: Partial<z.output<typeof webhookData>> = told.data ?? {};
  const sessionId = matching(ANY_CASE_UUID, data.SessionId);
  const ownId = sessionId ?? idAtEndOf(data.MerchantTrns ?? '');
  const orderCode = matching(ORDER_CODE, data.OrderCode);
  const transactionId = matching(ANY_CASE_UUID, data.SaleTransactionId) ?? matching(ANY_CASE_UUID, data.TransactionId);
  return defined({
    messageId: MessageId,
    eventTypeId: EventTypeId,
    subject: ownId ?? orderCode ?? transactionId ?? MessageId,
    transactionId,
    orderCode,
    sessionId,
    merchantId: matching(ANY_CASE_UUID, data.MerchantId),
    currency: data.CurrencyCode === undefined ? undefined : currencyOf(data.CurrencyCode),
    subTypeId: data.SubTypeId === undefined ? undefined : Number(data.SubTypeId),
  });
}

/**
 * False: the webhook is stored, and nothing follows. That is so for any other type and for a webhook that names
 * nothing, unless it is about a whole account. Movements by card are stored only, because a card payment has webhooks
 * of its own.
 */
export function hasEffect({ eventTypeId, subject, messageId, subTypeId }: WebhookBody): boolean {
  if (eventTypeId === webhookTypes.accountTransactionCreated) {
    return !CARD_MOVEMENTS.has(subTypeId);
  }
  return WITH_EFFECT.has(eventTypeId) && subject !== messageId;
}

/** Text, or a number, of this form; may be absent. */
function shaped(pattern: RegExp) {
  return z.pipe(optionalText, z.optional(z.string().check(z.regex(pattern))));
}

function notAWebhook(): Problem {
  return new Problem('INVALID_REQUEST', 'The body is not a webhook of the platform.');
}

function matching(pattern: RegExp, text: string | undefined): string | undefined {
  return pattern.exec(text ?? '')?.[0].toLowerCase();
}
