/**
 * The store of the `tokens` table, which holds secret values with an expiry. Each key begins with the kind of its value, so
 * that a function's policy (`dynamodb:LeadingKeys`) allows only the kinds that it needs. DynamoDB may delete expired items
 * days late, so every read checks the expiry. A value must not leave the function that reads it.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { TransientError } from '../flow/errors.ts';

/** The names of the table's key and TTL attribute, for the template. */
export const tokensTable = { partitionKey: 'pk', ttl: 'expiresAt' } as const;

/** The kinds of values. A key is `<kind>#<id>`. */
export type TokenKind = 'access' | 'ct' | 'ctok' | 'form' | 'webhook-key';

export interface TokenValues {
  /** An access token of the platform (see access-tokens.ts). */
  readonly access: AccessValue;
  /** A card token and the values that are sent with it. `token` is absent until the platform has created one. */
  readonly ct: CardTokenValue;
  /** A charge token. */
  readonly ctok: { readonly token: string };
  /** The issuer's form for the payer's authentication. */
  readonly form: { readonly html: string };
  readonly 'webhook-key': { readonly key: string };
}

export interface AccessValue {
  readonly token?: string;
  /** When the platform stops accepting it, in seconds since the epoch. */
  readonly endsAt?: number;
  /** The invocation that fetches a new token now. */
  readonly fetcher?: string;
  /** Other invocations wait for the new token until then, in seconds since the epoch. */
  readonly fetchingUntil?: number;
}

export interface CardTokenValue {
  readonly token?: string;
  readonly holderName?: string;
  readonly expirationMonth: number;
  readonly expirationYear: number;
}

export type Stored<T> = T & { readonly revision: number };

export interface Expiring<K extends TokenKind> {
  readonly value: TokenValues[K];
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

export interface Tokens {
  /** Reads consistently. Undefined if there is no value or it has expired. */
  get<K extends TokenKind>(kind: K, id: string): Promise<Stored<TokenValues[K]> | undefined>;
  /**
   * Writes if the stored revision is still `expected`. 0 means that there must be no value, or only an expired one. False
   * if another writer was faster. `expiresAt` is in seconds since the epoch.
   */
  put<K extends TokenKind>(
    kind: K,
    id: string,
    value: TokenValues[K],
    expiresAt: number,
    expected: number,
  ): Promise<boolean>;
  remove(kind: TokenKind, id: string): Promise<void>;
}

const CHANGE_ATTEMPTS = 5;

/**
 * Writes what `decide` returns for the stored value. Calls `decide` again if another writer was faster. If it returns
 * undefined, nothing is written. Throws a TransientError TOKEN_CONTENDED after many lost races.
 */
export async function changeToken<K extends TokenKind>(
  tokens: Tokens,
  kind: K,
  id: string,
  decide: (kept: TokenValues[K] | undefined) => Promise<Expiring<K> | undefined>,
): Promise<void> {
  for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt++) {
    const kept = await tokens.get(kind, id);
    const next = await decide(kept);
    if (next === undefined || (await tokens.put(kind, id, next.value, next.expiresAt, kept?.revision ?? 0))) {
      return;
    }
  }
  throw new TransientError('TOKEN_CONTENDED', `too many writers on one ${kind}`);
}

export function createTokens(client: DynamoDBDocumentClient, tableName: string, now: () => number = Date.now): Tokens {
  const nowSeconds = () => Math.floor(now() / 1000);
  return {
    async get(kind, id) {
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: { pk: `${kind}#${id}` }, ConsistentRead: true }),
      );
      return Item === undefined || Item['expiresAt'] <= nowSeconds() ? undefined : (Item as never);
    },

    async put(kind, id, value, expiresAt, expected) {
      const revision = expected + 1;
      try {
        await client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...value, pk: `${kind}#${id}`, expiresAt, revision },
            ConditionExpression:
              expected === 0 ? 'attribute_not_exists(pk) OR expiresAt <= :now' : '#revision = :expected',
            ...(expected === 0
              ? { ExpressionAttributeValues: { ':now': nowSeconds() } }
              : {
                  ExpressionAttributeNames: { '#revision': 'revision' },
                  ExpressionAttributeValues: { ':expected': expected },
                }),
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof Error && error.name === 'ConditionalCheckFailedException') {
          return false;
        }
        throw error;
      }
    },

    async remove(kind, id) {
      await client.send(new DeleteCommand({ TableName: tableName, Key: { pk: `${kind}#${id}` } }));
    },
  };
}
