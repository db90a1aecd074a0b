/** The two tables when DynamoDB refuses, fails or answers late. The flow tests cover the other cases. */
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPayments, isShown } from '../../../../shared/payments/store.ts';
import { changeToken, createTokens, type Tokens } from '../../../../shared/tokens/store.ts';
import { MERCHANT_ID } from '../../../fakes/world.ts';

const now = () => Date.parse('2026-11-21T10:00:00Z');
const stored = { pk: 'card#one', status: 'active', timeline: [], revision: 1, writeId: 'before' };
const card = { cardId: 'one', merchantId: MERCHANT_ID, status: 'active' as const, transactionId: 't', timeline: [] };
const deleted = { status: 'deleted' as const };
const failure = (name: string) => Object.assign(new Error(name), { name });
const refused = failure('ConditionalCheckFailedException');

/** A table with one item that answers every write with this. */
function tableOf(item: object | undefined, answerToPut: Error | object = {}) {
  const puts: PutCommand['input'][] = [];
  const send = async (command: unknown) => {
    if (!(command instanceof PutCommand)) {
      return { Item: item };
    }
    puts.push(command.input);
    if (answerToPut instanceof Error) {
      throw answerToPut;
    }
    return answerToPut;
  };
  return { puts, documents: { send } as unknown as DynamoDBDocumentClient };
}

function paymentsOf(item: object | undefined, answerToPut?: Error | object) {
  const { puts, documents } = tableOf(item, answerToPut);
  return { puts, payments: createPayments(documents, { name: 'payments', dueShards: 16 }, now, () => 'mine') };
}

/** Losers of a race do not wait. */
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

describe('the payments table', () => {
  it.each(['ProvisionedThroughputExceededException', 'InternalServerError', 'AccessDeniedException', 'TimeoutError'])(
    'reports a write as failed when DynamoDB answers with %s',
    async (name) => {
      const { payments } = paymentsOf(stored, failure(name));

      await expect(payments.create('card', 'one', card)).rejects.toMatchObject({ name });
      await expect(payments.change('card', 'one', () => deleted)).rejects.toMatchObject({ name });
    },
  );

  it('creates nothing over an item of another writer', async () => {
    expect(await paymentsOf(stored, refused).payments.create('card', 'one', card)).toBe(false);
  });

  it('has created what carries its own write id, although the answer was a refusal', async () => {
    const { payments } = paymentsOf({ ...stored, writeId: 'mine' }, refused);

    expect(await payments.create('card', 'one', card)).toBe(true);
  });

  it('changes nothing that does not exist', async () => {
    const { payments, puts } = paymentsOf(undefined);

    await expect(payments.change('card', 'one', () => deleted)).rejects.toMatchObject({
      name: 'FaultError',
      code: 'ITEM_MISSING',
    });
    expect(puts).toEqual([]);
  });

  it('writes nothing when the decision is undefined or throws', async () => {
    const { payments, puts } = paymentsOf(stored);

    expect(await payments.change('card', 'one', () => undefined)).toEqual(stored);
    await expect(
      payments.change('card', 'one', () => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(puts).toEqual([]);
  });

  it('decides again after each lost race, and gives up after twelve', async () => {
    const { payments, puts } = paymentsOf(stored, refused);
    let decisions = 0;

    await expect(
      payments.change('card', 'one', () => {
        decisions++;
        return deleted;
      }),
    ).rejects.toMatchObject({ name: 'TransientError', code: 'ITEM_CONTENDED' });

    expect([decisions, puts.length]).toEqual([12, 12]);
  });

  it('writes only over the revision that it read', async () => {
    const { payments, puts } = paymentsOf(stored);

    await payments.create('card', 'one', card);
    await payments.change('card', 'one', () => deleted);

    expect(puts).toMatchObject([
      { ConditionExpression: 'attribute_not_exists(pk)' },
      { ConditionExpression: 'writeId = :before', ExpressionAttributeValues: { ':before': 'before' } },
    ]);
  });

  it.each([
    ['with', { dueAt: '2026-11-21T10:05:00.000Z' }, expect.stringMatching(/^([0-9]|1[0-5])$/)],
    ['without', {}, undefined],
    ['that lost', { dueAt: undefined }, undefined],
  ])('stores an item %s a due time in a shard of the due index, or in none', async (_, due, shard) => {
    const { payments, puts } = paymentsOf(stored);

    await payments.create('order-pointer', 'one', { merchantId: MERCHANT_ID, rfOrderId: 'one', ...due } as never);
    await payments.change('order-pointer', 'one', () => due as never);

    expect(puts.map(({ Item }) => Item?.['dueShard'])).toEqual([shard, shard]);
    expect(puts[0]?.Item?.['dueShard']).toBe(puts[1]?.Item?.['dueShard']);
  });

  it('spreads due items over all shards, even when ids follow each other', async () => {
    const { payments, puts } = paymentsOf(undefined);
    for (let n = 0; n < 200; n++) {
      const id = String(1_100_000_000_000_001 + 2 * n);
      await payments.create('inbox', id, { subject: id, merchantId: MERCHANT_ID, webhooks: [], dueAt: 'z' });
    }

    expect(new Set(puts.map(({ Item }) => Item?.['dueShard'])).size).toBe(16);
  });

  it.each([
    ['listed', {}, { merchantKind: `card#${MERCHANT_ID}`, createdAtId: '2026-11-21T10:00:00.000Z#one' }],
    ['not listed', { listed: false }, { merchantKind: undefined, createdAtId: undefined }],
  ])('adds an item that is %s to its merchant’s list accordingly', async (_, options, keys) => {
    const { payments, puts } = paymentsOf(undefined);

    await payments.create('card', 'one', card, options);

    expect({
      merchantKind: puts[0]?.Item?.['merchantKind'],
      createdAtId: puts[0]?.Item?.['createdAtId'],
    }).toEqual(keys);
  });
});

describe('a change of bookkeeping fields', () => {
  const bookkeeping = [
    ...['dueAt', 'outbox', 'taskToken', 'sessionSeenAt', 'executionArn', 'restarts', 'workingUntil', 'origin'],
    ...['daysReadUntil', 'reading', 'readings', 'otherCodes'],
  ];

  it.each(bookkeeping)('is not shown when only %s changes', (name) => {
    expect(isShown({ [name]: 'value' })).toBe(false);
    expect(isShown({ [name]: undefined })).toBe(false);
  });

  it('is not shown when all of them change, but is with anything else', () => {
    const all = Object.fromEntries(bookkeeping.map((name) => [name, 1]));

    expect(isShown(all)).toBe(false);
    expect(isShown({ ...all, status: 'paid' })).toBe(true);
    expect(isShown({ timeline: [] })).toBe(true);
  });

  it('creates a new revision only when it is shown', async () => {
    const { payments, puts } = paymentsOf({ ...stored, updatedAt: 'then' });

    await payments.change('card', 'one', () => deleted);
    await payments.change('card', 'one', () => ({ executionArn: 'arn' }));

    expect(puts.map(({ Item }) => [Item?.['revision'], Item?.['updatedAt']])).toEqual([
      [2, '2026-11-21T10:00:00.000Z'],
      [1, 'then'],
    ]);
  });
});

describe('the tokens table', () => {
  const value = { token: 'ctok_1' };

  it.each(['ProvisionedThroughputExceededException', 'InternalServerError', 'AccessDeniedException'])(
    'reports a write as failed when DynamoDB answers with %s',
    async (name) => {
      const { documents } = tableOf(undefined, failure(name));

      await expect(createTokens(documents, 'tokens', now).put('ctok', 'one', value, 9e9, 0)).rejects.toMatchObject({
        name,
      });
    },
  );

  it.each([
    [0, { ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now' }],
    [
      3,
      {
        ConditionExpression: '#revision = :expected',
        ExpressionAttributeNames: { '#revision': 'revision' },
        ExpressionAttributeValues: { ':expected': 3 },
      },
    ],
  ])('writes only over revision %d', async (expected, condition) => {
    const { documents, puts } = tableOf(undefined);

    expect(await createTokens(documents, 'tokens', now).put('ctok', 'one', value, 9e9, expected)).toBe(true);
    expect(puts).toMatchObject([{ ...condition, Item: { pk: 'ctok#one', token: 'ctok_1', revision: expected + 1 } }]);
  });

  it('does not write over another writer’s value', async () => {
    const { documents } = tableOf(undefined, refused);

    expect(await createTokens(documents, 'tokens', now).put('ctok', 'one', value, 9e9, 1)).toBe(false);
  });

  it.each([
    [1, true],
    [0, false],
    [-1, false],
  ])('returns a value that expires in %d seconds: %s', async (seconds, given) => {
    const { documents } = tableOf({ token: 'ctok_1', expiresAt: now() / 1000 + seconds, revision: 1 });

    expect((await createTokens(documents, 'tokens', now).get('ctok', 'one')) !== undefined).toBe(given);
  });
});

describe('a change of a token', () => {
  const next = { value: { token: 'ctok_2' }, expiresAt: 9e9 };
  /** Loses the given number of races. */
  function tokensOf(lost: number) {
    const expected: number[] = [];
    const tokens: Tokens = {
      get: async () => ({ token: 'ctok_1', revision: expected.length + 1 }) as never,
      put: async (_kind, _id, _value, _expiresAt, revision) => expected.push(revision) > lost,
      remove: async () => {},
    };
    return { expected, tokens };
  }

  it('decides again after each lost race, with the revision read then', async () => {
    const { expected, tokens } = tokensOf(4);

    await changeToken(tokens, 'ctok', 'one', async () => next);

    expect(expected).toEqual([1, 2, 3, 4, 5]);
  });

  it('gives up after five races', async () => {
    const { expected, tokens } = tokensOf(5);

    await expect(changeToken(tokens, 'ctok', 'one', async () => next)).rejects.toMatchObject({
      name: 'TransientError',
      code: 'TOKEN_CONTENDED',
    });
    expect(expected).toHaveLength(5);
  });

  it('may leave the token unchanged', async () => {
    const { expected, tokens } = tokensOf(0);

    await changeToken(tokens, 'ctok', 'one', async () => undefined);

    expect(expected).toEqual([]);
  });
});
