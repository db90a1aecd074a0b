/**
 * Captures and voids, with a death after each call of their function, and with each way in which their own call can
 * fail. What was not sent is sent again, what was sent is found, and nothing is taken twice. Each case is a hold of its
 * own, and all run at once.
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Json, Till, world } from './till.ts';

/** Several holds, each with its sale. */
const LONG = 180_000;
/** Advancing the clock by hours is slow, so holds end after one hour. */
const HOLD_SECONDS = 3_600;
const CAPTURE_DAYS = 5;
/** What is still open this long after the last fault stays open. */
const AT_REST_SECONDS = 45 * 60;

/** The calls of a fresh instance: read and claim the charge, its account and credentials, the call itself, the outcome. */
const CALLS = 8;
const deaths = Array.from({ length: CALLS }, (_, afterCall) => afterCall);
const acts = ['refused', 'server_error_before', 'server_error_after', 'answer_lost', 'malformed_200', 'late_commit'];

const merchant = new Till();
const isv = new Till('isv');

const holdFor = (captureDays: number) =>
  world.payments.change('account', merchant.merchant.merchantId, () => ({ captureDays }));

beforeEach(() => merchant.reset());
afterAll(() => holdFor(CAPTURE_DAYS));

async function hold(till: Till): Promise<Json> {
  const { saleId } = await till.startSale({ additionalCharge: { amount: 4000, preauth: true } });
  const sale = await till.until(`/sales/${saleId}`, ({ additionalCharge }) => additionalCharge.status === 'authorized');
  return sale.additionalCharge;
}

async function capture(till: Till, { chargeId }: Json): Promise<void> {
  const answer = await till.api('POST', `/charges/${chargeId}/capture`, { amount: 2500 }, { key: chargeId });
  expect(answer.status).toBe(202);
}

function strike(till: Till, name: string, method: string, { transactionId }: Json): Promise<Json> {
  const match = { method, path: `/transactions/${transactionId}` };
  return till.control('POST', '/_sim/faults', { name, match, times: 1, delaySeconds: 840 });
}

/** The charge as the API shows it, as the ledger has it, and whether it is due again. */
async function outcomeOf(till: Till, { chargeId, transactionId }: Json): Promise<Json> {
  const { body } = await till.api('GET', `/charges/${chargeId}`);
  const { entries } = await till.control('GET', '/_sim/ledger');
  const item = (await till.items()).find(({ pk }) => pk === `charge#${chargeId}`);
  return {
    status: body.status,
    capturedAmount: body.capturedAmount,
    captures: body.captures.map(({ status }: Json) => status),
    booked: entries
      .filter(({ parentId }: Json) => parentId === transactionId)
      .map(({ kind, amount }: Json) => `${kind} ${amount}`),
    due: item.dueAt,
  };
}

const taken = {
  status: 'captured',
  capturedAmount: 2500,
  captures: ['done'],
  booked: ['capture 2500'],
  due: undefined,
};
const givenBack = { status: 'expired', capturedAmount: 0, captures: [], booked: ['void 4000'], due: undefined };

describe('a capture', () => {
  it(
    'is made once, whichever call its function dies after',
    async () => {
      const holds: Json[] = [];
      for (const afterCall of deaths) {
        holds.push(await hold(merchant));
        await merchant.kill('capture', afterCall);
      }
      for (const one of holds) {
        await capture(merchant, one);
      }

      await merchant.pass(AT_REST_SECONDS);

      for (const one of holds) {
        expect(await outcomeOf(merchant, one)).toEqual(taken);
      }
      expect(await merchant.deaths('capture')).toBe(CALLS);
    },
    LONG,
  );

  it.each([
    ['a merchant', merchant, 'taken'],
    ['a merchant whose captures have no reference of their own', merchant, 'ignored'],
    ['an account connected to an ISV', isv, 'taken'],
  ] as const)(
    'of %s is made once, however its call fails',
    async (_, till, nativeCaptureReference) => {
      await till.control('PATCH', '/_sim/switches', { nativeCaptureReference, partialCaptures: 'several' });
      const holds: Json[] = [];
      for (const name of acts) {
        const one = await hold(till);
        await strike(till, name, 'POST', one);
        await capture(till, one);
        holds.push(one);
      }

      await till.pass(AT_REST_SECONDS);

      for (const one of holds) {
        expect(await outcomeOf(till, one)).toEqual(taken);
      }
    },
    LONG,
  );
});

describe('a void', () => {
  it(
    'is made once, whichever call its function dies after and however its call fails',
    async () => {
      await holdFor(HOLD_SECONDS / 86_400);
      const holds: Json[] = [];
      for (const afterCall of deaths) {
        holds.push(await hold(merchant));
        await merchant.kill('void', afterCall);
      }
      for (const name of acts) {
        const one = await hold(merchant);
        await strike(merchant, name, 'DELETE', one);
        holds.push(one);
      }

      await merchant.pass(HOLD_SECONDS + AT_REST_SECONDS);

      for (const one of holds) {
        expect(await outcomeOf(merchant, one)).toEqual(givenBack);
      }
      expect(await merchant.deaths('void')).toBe(CALLS);
    },
    LONG,
  );
});
