/**
 * The faults that change what an answer tells about a session, a transaction or an order, in either spelling, read
 * alone or in a list. All other numbers stay as they were written. The books themselves do not change.
 */

import { TRANSACTION_TYPE, type Transaction } from '../books/transactions.ts';
import type { Fault } from './faults.ts';
import { editableJson, exactNumber, textOf } from './json.ts';

type Fields = Record<string, unknown>;

const OTHER_MERCHANT = '00000000-0000-4000-8000-000000000000';
const OTHER_CURRENCY = '840';
const MAJOR_UNIT = 100n;

/** The types that take or hold money. The others give it back. */
const TAKES: readonly number[] = [
  TRANSACTION_TYPE.capture,
  TRANSACTION_TYPE.preauth,
  TRANSACTION_TYPE.charge,
  TRANSACTION_TYPE.chargeWithInstallments,
  TRANSACTION_TYPE.bankTransfer,
];

/**
 * The text of the answer with the false value. Undefined if there is nothing to change. `pathId` is the last part of
 * the path.
 */
export function told(fault: Fault, text: string, pathId: string): string | undefined {
  const body = editableJson(text);
  let lied = false;
  for (const thing of thingsIn(body)) {
    const aim = aimAt(fault.match?.record, thing, pathId);
    const changes = aim === undefined ? {} : changesBy(fault, thing, aim);
    for (const [name, value] of Object.entries(changes)) {
      lied ||= textOf(thing[name]) !== textOf(value);
      thing[name] = value;
    }
  }
  return lied ? JSON.stringify(body) : undefined;
}

/** The transactions that a fault hides from a read, and whether it found any. */
export function hiding({ name, match, delaySeconds = 60 }: Fault, nowMs: number) {
  const found: Transaction[] = [];
  const hides = (transaction: Transaction): boolean => {
    const hidden =
      isMeant(match?.record, name, transaction) &&
      (name !== 'list_lag' || transaction.atMs > nowMs - delaySeconds * 1000) &&
      (name !== 'child_missing' || transaction.parentId !== null);
    if (hidden) {
      found.push(transaction);
    }
    return hidden;
  };
  return { hides, found };
}

function isMeant(record: string | undefined, name: Fault['name'], transaction: Transaction): boolean {
  const { transactionId, parentId, orderCode, merchantTrns } = transaction;
  const ids = name === 'child_missing' ? [transactionId, orderCode, parentId] : [transactionId, orderCode];
  return record === undefined || ids.includes(record) || merchantTrns.includes(record);
}

/** `exactly`: selected by its own id, so its type does not matter. */
function aimAt(record: string | undefined, thing: Fields, pathId: string): 'exactly' | 'any' | undefined {
  if (record === undefined) {
    return 'any';
  }
  const [, id = pathId] = field(thing, 'transactionId') ?? field(thing, 'sessionId') ?? [];
  if (textOf(id) === record) {
    return 'exactly';
  }
  const [, order] = field(thing, 'order') ?? [];
  const [, orderCode] = field(isFields(order) ? order : thing, 'orderCode') ?? [];
  const [, reference = ''] = field(thing, 'merchantTrns') ?? field(thing, 'merchantReference') ?? [];
  return textOf(orderCode) === record || textOf(reference).includes(record) ? 'any' : undefined;
}

function changesBy({ name, statusId = 'M', eventId = 1099 }: Fault, thing: Fields, aim: 'exactly' | 'any'): Fields {
  switch (name) {
    case 'wrong_amount':
      return Object.fromEntries(
        ['amount', 'originalAmount', 'requestAmount'].flatMap((amount) => replaced(thing, amount, raised)),
      );
    case 'wrong_currency':
      return Object.fromEntries(replaced(thing, 'currencyCode', () => OTHER_CURRENCY));
    case 'wrong_merchant':
      return Object.fromEntries(replaced(thing, 'merchantId', () => OTHER_MERCHANT));
    case 'bad_rf_code':
      return Object.fromEntries(
        replaced(thing, 'rfPaymentCode', (code) => `${code.slice(0, -1)}${(Number(code.at(-1)) + 1) % 10}`),
      );
    case 'session_failed':
      return thing['success'] === true ? { ...SESSION_FAILED, eventId: exactNumber(String(eventId)) } : {};
    case 'session_succeeded':
      return thing['success'] === false && textOf(thing['eventId']) !== UNFINISHED ? SESSION_SUCCEEDED : {};
    case 'transaction_failed':
      return reading(thing, aim, ['F'], 'E');
    case 'transaction_pending':
      return reading(thing, aim, ['F', 'E'], 'A');
    case 'transaction_disputed':
      return typeOf(thing) === TRANSACTION_TYPE.preauth ? {} : reading(thing, aim, ['F', 'R'], statusId);
    case 'record_unreadable':
      return field(thing, 'statusId') === undefined
        ? {}
        : Object.fromEntries(['amount', 'statusId'].flatMap((lost) => replaced(thing, lost, () => null)));
    default:
      return {};
  }
}

/** The event id in the body of a session that is still open. */
const UNFINISHED = '1100';

const SESSION_SUCCEEDED: Fields = { success: true, eventId: exactNumber('0'), message: 'Transaction successful' };

const SESSION_FAILED: Fields = {
  success: false,
  transactionEventId: null,
  authorizationId: null,
  transactionId: null,
  transactionTypeId: null,
  retrievalReferenceNumber: null,
  orderCode: '0',
  shortOrderCode: '0',
  message: 'Generic transaction error',
};

/** Another status for a transaction that takes or holds money. If it is failed, the acquirer did not approve. */
function reading(thing: Fields, aim: 'exactly' | 'any', from: readonly string[], to: string): Fields {
  const [name, status] = field(thing, 'statusId') ?? [];
  if (name === undefined || !from.includes(textOf(status)) || !(aim === 'exactly' || TAKES.includes(typeOf(thing)))) {
    return {};
  }
  return { [name]: to, ...Object.fromEntries(replaced(thing, 'acquirerApproved', () => to !== 'E')) };
}

function typeOf(thing: Fields): number {
  const [, type] = field(thing, 'transactionType') ?? [];
  const [, id] = field(isFields(type) ? type : thing, 'transactionTypeId') ?? [];
  return Number(textOf(id));
}

/** `15.00`, in major units, becomes `16.00`; `1500`, in minor units, becomes `1600`. */
function raised(amount: string): unknown {
  const [whole = '0', cents] = amount.split('.');
  return exactNumber(cents === undefined ? `${BigInt(whole) + MAJOR_UNIT}` : `${BigInt(whole) + 1n}.${cents}`);
}

/** The changed field, if it exists and is not null. */
function replaced(thing: Fields, name: string, change: (text: string) => unknown): [string, unknown][] {
  const [spelled, value] = field(thing, name) ?? [];
  return spelled === undefined || value === null ? [] : [[spelled, change(textOf(value))]];
}

/** The field in the spelling of this API: camelCase or PascalCase. */
function field(thing: Fields, name: string): [name: string, value: unknown] | undefined {
  const spelled = [name, `${name[0]?.toUpperCase()}${name.slice(1)}`].find((one) => Object.hasOwn(thing, one));
  return spelled === undefined ? undefined : [spelled, thing[spelled]];
}

/** The records of an answer: the items of a list, or the one record. */
function thingsIn(body: unknown): Fields[] {
  const listed = isFields(body) ? (body['Transactions'] ?? [body]) : body;
  return Array.isArray(listed) ? listed.filter(isFields) : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
