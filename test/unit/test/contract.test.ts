import { describe, expect, it } from 'vitest';
import { openapiDocument } from '../../../docs/generate-openapi.ts';
import { contractOf } from '../../contract.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is what it says
const document = openapiDocument() as any;
const { checkAnswer, checkEvent } = contractOf(document);
const { Sale, Event, TERMINAL_IN_USE, CAPTURE_EXISTS, NOT_FOUND } = Object.fromEntries(
  // biome-ignore lint/suspicious/noExplicitAny: an example is what it says
  Object.entries(document.components.examples).map(([name, { value }]: any) => [name, value]),
);
const SALE = `/sales/${Sale.saleId}`;

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  const type = status >= 400 ? 'application/problem+json' : 'application/json';
  const text = body === undefined ? '' : JSON.stringify(body);
  return { status, text, headers: new Headers({ ...(text !== '' && { 'content-type': type }), ...headers }) };
}

describe('the comparison of an answer with the document', () => {
  it.each<[string, string, ReturnType<typeof answer>]>([
    ['GET', SALE, answer(200, Sale, { etag: '"1"' })],
    ['GET', SALE, answer(304, undefined, { etag: '"1"' })],
    ['GET', '/sales?merchantId=x', answer(200, { items: [Sale], next: 'more' })],
    ['POST', '/sales', answer(409, TERMINAL_IN_USE, { 'retry-after': '5' })],
    ['DELETE', '/cards/card_1', answer(204, undefined)],
    ['GET', '/nothing', answer(404, NOT_FOUND)],
  ])('accepts what the document says: %s %s', (method, path, seen) => {
    expect(() => checkAnswer(method, path, seen)).not.toThrow();
  });

  it.each<[string, string, string, ReturnType<typeof answer>]>([
    ['an unknown status', 'GET', SALE, answer(201, Sale)],
    ['an unknown field', 'GET', SALE, answer(200, { ...Sale, more: 1 })],
    ['an unknown field inside', 'GET', SALE, answer(200, { ...Sale, totals: { ...Sale.totals, more: 1 } })],
    ['a missing field', 'GET', SALE, answer(200, { ...Sale, totals: undefined })],
    ['an unknown status of a sale', 'GET', SALE, answer(200, { ...Sale, status: 'settled' })],
    ['a time that is none', 'GET', SALE, answer(200, { ...Sale, createdAt: 'yesterday' })],
    ['an unknown header', 'GET', SALE, answer(200, Sale, { 'retry-after': '5' })],
    ['another type', 'GET', SALE, answer(200, Sale, { 'content-type': 'text/plain' })],
    ['a body where there is none', 'DELETE', '/cards/card_1', answer(204, {})],
    ['a code of another route', 'POST', '/sales', answer(409, CAPTURE_EXISTS)],
    ['success of a route that is not documented', 'GET', '/nothing', answer(200, Sale)],
  ])('refuses %s', (_, method, path, seen) => {
    expect(() => checkAnswer(method, path, seen)).toThrow();
  });
});

describe('the comparison of a callback with the document', () => {
  it('accepts the example', () => {
    expect(() => checkEvent(Event)).not.toThrow();
  });

  it.each([
    ['an unknown type', { ...Event, type: 'tillflow.sale.created.v1' }],
    ['an unknown field', { ...Event, data: { ...Event.data, more: 1 } }],
  ])('refuses %s', (_, event) => {
    expect(() => checkEvent(event)).toThrow('the callback is not what docs/openapi.yaml says');
  });
});
