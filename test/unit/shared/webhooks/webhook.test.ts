import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../shared/api/problem.ts';
import { hasEffect, readWebhook } from '../../../../shared/webhooks/webhook.ts';
import { envelope, ORDER_CODE, TRANSACTION_ID } from '../../../fakes/webhooks.ts';
import { SALE_ID } from '../../../fakes/world.ts';

const read = (text: string) => readWebhook(Buffer.from(text));

describe('the subject of a webhook', () => {
  it('is the sale whose id ends its reference', () => {
    const webhook = read(
      envelope(1796, { MerchantTrns: `room 12 ${SALE_ID}`, OrderCode: ORDER_CODE, TransactionId: TRANSACTION_ID }),
    );

    expect(webhook).toMatchObject({ subject: SALE_ID, orderCode: ORDER_CODE, transactionId: TRANSACTION_ID });
  });

  it('is the session that it names', () => {
    expect(read(envelope(1802, { SessionId: SALE_ID.toUpperCase() })).subject).toBe(SALE_ID);
  });

  it('is its order code, digit by digit, when it has no reference of ours', () => {
    const webhook = read(envelope(1799, { OrderCode: ORDER_CODE, TransactionId: TRANSACTION_ID }));

    expect(webhook).toMatchObject({ subject: ORDER_CODE, orderCode: ORDER_CODE });
  });

  it('is the transaction when an account moved and no order is named', () => {
    const webhook = read(envelope(2054, { SaleTransactionId: TRANSACTION_ID, CurrencyCode: '978', Amount: -1.5 }));

    expect(webhook).toMatchObject({ subject: TRANSACTION_ID, currency: 'EUR' });
  });

  it('is its own message id when it names nothing', () => {
    const webhook = read(envelope(2054, { SaleTransactionId: null, CurrencyCode: 978 }));

    expect(webhook.subject).toBe(webhook.messageId);
  });

  it('keeps 1,000 odd order codes above 2^53 exactly', () => {
    const codes = Array.from({ length: 1_000 }, (_, n) => String(9_007_199_254_740_993n + 2n * BigInt(n) * 991n));

    expect(codes.map((code) => read(envelope(4865, { OrderCode: code, IsCancelled: true })).orderCode)).toEqual(codes);
  });

  it('is found despite unknown fields and empty ids', () => {
    const webhook = read(envelope(1796, { Tags: [['x']], TransactionId: '', CurrencyCode: null }, { New: {} }));

    expect(webhook).toEqual({ messageId: webhook.messageId, subject: webhook.messageId, eventTypeId: 1796 });
  });

  it('may be an order code that is written as text', () => {
    const asText = envelope(1796, { OrderCode: ORDER_CODE }).replace(ORDER_CODE, `"${ORDER_CODE}"`);

    expect(read(asText).orderCode).toBe(ORDER_CODE);
  });

  it('is read for a type without effect', () => {
    for (const data of [{ OrderCode: { a: 1 }, TransactionId: 7, Amount: 'much' }, [], null as never]) {
      const webhook = read(envelope(8448, data));

      expect(webhook).toEqual({ messageId: webhook.messageId, subject: webhook.messageId, eventTypeId: 8448 });
    }
  });

  it('is all that is kept, without amounts or data of the payer or the card', () => {
    const webhook = read(
      envelope(1796, {
        ...{ Amount: 15.5, Email: 'payer@example.invalid', Phone: '300000', FullName: 'A PAYER' },
        ...{ CardNumber: '414746XXXXXX0133', CardToken: 'a'.repeat(40), OrderCode: ORDER_CODE },
      }),
    );

    expect(webhook).toEqual({
      messageId: webhook.messageId,
      subject: ORDER_CODE,
      orderCode: ORDER_CODE,
      eventTypeId: 1796,
    });
  });
});

describe('a body that is not a webhook', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', 'OrderCode=1'],
    ['a list', '[]'],
    ['a number', '7'],
    ['null', 'null'],
    ['data missing', '{"EventTypeId":1796,"MessageId":"a"}'],
    ['data that is null', '{"EventTypeId":1796,"MessageId":"a","EventData":null}'],
    ['data of the wrong type', envelope(1796, [])],
    ['data that is text', '{"EventTypeId":1796,"MessageId":"a","EventData":"b"}'],
    ['an id that is an object', envelope(1796, { OrderCode: {} })],
    ['an id that is a list', envelope(1796, { TransactionId: ['a'] })],
    ['an order code that is text', envelope(1796, { OrderCode: 'abc' })],
    ['an order code below zero', envelope(1796, { OrderCode: -1 })],
    ['an order code that is a decimal', envelope(1796, { OrderCode: 1.5 })],
    ['an order code that is true', envelope(1796, { OrderCode: true })],
    ['a transaction that is a number', envelope(1796, { TransactionId: 7 })],
    ['a sale transaction that is text', envelope(2054, { SaleTransactionId: 'abc' })],
    ['a merchant that is a number', envelope(1799, { MerchantId: 7 })],
    ['an amount that is an object', envelope(1796, { Amount: {} })],
    ['an amount that is text', envelope(1796, { Amount: 'much' })],
    ['a status that is an object', envelope(1796, { StatusId: {} })],
    ['a currency that is a list', envelope(2054, { CurrencyCode: ['978'] })],
    ['a cancellation that is a number', envelope(4865, { IsCancelled: 7 })],
    ['a type that is text', envelope(1796, {}, { EventTypeId: '1796' })],
    ['a type of zero', envelope(1796, {}, { EventTypeId: 0 })],
    ['a type below zero', envelope(1796, {}, { EventTypeId: -1 })],
    ['a message id that is a number', envelope(1796, {}, { MessageId: 7 })],
    ['a type that is a decimal', envelope(1796, {}, { EventTypeId: 1.5 })],
    ['a malformed message id', envelope(1796, {}, { MessageId: 'a b' })],
    ['a message id of any length', envelope(1796, {}, { MessageId: 'a'.repeat(65) })],
    ['no message id', envelope(1796, {}, { MessageId: null })],
    ['nesting of 10,000 objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['nesting of 10,000 lists', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['a key twice', '{"EventTypeId":1796,"EventTypeId":1797,"MessageId":"a","EventData":{}}'],
    ['a prototype', '{"EventTypeId":1796,"MessageId":"a","EventData":{"__proto__":{"OrderCode":1}}}'],
    ['an escaped prototype', '{"EventTypeId":1796,"MessageId":"a","EventData":{"\\u005f_proto__":{}}}'],
    ['a string that never ends', `"${'\\"'.repeat(32_000)}`],
    ['a string that ends in a backslash', '{"MessageId":"\\'],
  ])('is refused at once: %s', (_, text) => {
    const startedAt = performance.now();

    expect(() => read(text)).toThrow(Problem);
    expect(performance.now() - startedAt).toBeLessThan(50);
  });

  it('is refused when it is not UTF-8', () => {
    expect(() => readWebhook(Buffer.from([0xff, 0xfe, 0x7b]))).toThrow(Problem);
  });
});

it('only eight types have an effect, and only if they name something or move an account', () => {
  const types = [768, 1796, 1797, 1798, 1799, 1802, 1803, 2054, 4865, 5632, 8193, 999_999];
  const naming = (subject: string) =>
    types.filter((eventTypeId) => hasEffect({ messageId: 'a', eventTypeId, subject }));

  expect(naming('b')).toEqual([1796, 1797, 1798, 1799, 1802, 1803, 2054, 4865]);
  expect(naming('a')).toEqual([2054]);
});

it.each([
  [21, true],
  ['21', true],
  [undefined, true],
  [22, false],
  [80, false],
  ['87', false],
])(
  'a movement of an account with SubTypeId %s has an effect: %s (card payments have their own webhooks)',
  (SubTypeId, has) => {
    const webhook = envelope(2054, { SaleTransactionId: TRANSACTION_ID, CurrencyCode: '978', SubTypeId });

    expect(hasEffect(read(webhook))).toBe(has);
  },
);
