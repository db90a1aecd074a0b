/**
 * The template's DynamoDB tables in memory, by dynalite. Its HTTP server is called in process, because a second
 * connection over loopback would slow down every read and write.
 */
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import './memory-level.ts';
import dynalite from 'dynalite';
import type { Stack } from '../template.ts';

export interface TableDefinition {
  readonly name: string;
  readonly arn: string;
  readonly keySchema: readonly KeyElement[];
  readonly indexes: ReadonlyMap<string, readonly KeyElement[]>;
  readonly ttlAttribute: string | undefined;
  /** The ARN of the customer-managed key, if it has one. */
  readonly keyArn: string | undefined;
  readonly createInput: object;
}

interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

interface TableProperties {
  readonly KeySchema: readonly KeyElement[];
  readonly AttributeDefinitions: readonly object[];
  readonly GlobalSecondaryIndexes?: readonly {
    readonly IndexName: string;
    readonly KeySchema: readonly KeyElement[];
    readonly Projection: object;
  }[];
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
  readonly SSESpecification?: { readonly KMSMasterKeyId?: string };
  readonly Replicas?: readonly { readonly SSESpecification?: { readonly KMSMasterKeyId?: string } }[];
}

export interface TableAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Tables {
  readonly definitions: readonly TableDefinition[];
  /** Answers a request of the DynamoDB protocol as on the wire. */
  request(operation: string, body: string): Promise<TableAnswer>;
  /** The same for the sandbox itself: throws unless it succeeds. */
  call<Output>(operation: string, input: object): Promise<Output>;
  /** Empties every table. */
  clear(): Promise<void>;
}

export function hashKeyOf(keySchema: readonly KeyElement[]): string {
  return keySchema.find(({ KeyType }) => KeyType === 'HASH')!.AttributeName;
}

export async function createTables(stack: Stack): Promise<Tables> {
  const definitions = [...stack.ofType('AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table')].map(
    ([logicalId, { properties }]) =>
      define(stack.ref(logicalId), stack.attribute(logicalId, 'Arn'), properties as unknown as TableProperties),
  );
  let server = await fill(definitions);

  return {
    definitions,
    request: (operation, body) => request(server, operation, body),
    call: (operation, input) => call(server, operation, input),
    async clear() {
      server = await fill(definitions);
    },
  };
}

function define(name: string, arn: string, properties: TableProperties): TableDefinition {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [], TimeToLiveSpecification: ttl } = properties;
  const indexes = GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
    IndexName,
    KeySchema,
    Projection,
  }));
  return {
    name,
    arn,
    keySchema: KeySchema,
    indexes: new Map(indexes.map(({ IndexName, KeySchema }) => [IndexName, KeySchema])),
    ttlAttribute: ttl?.Enabled === true ? ttl.AttributeName : undefined,
    keyArn: properties.SSESpecification?.KMSMasterKeyId ?? properties.Replicas?.[0]?.SSESpecification?.KMSMasterKeyId,
    createInput: {
      TableName: name,
      KeySchema,
      AttributeDefinitions,
      BillingMode: 'PAY_PER_REQUEST',
      ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
    },
  };
}

async function fill(definitions: readonly TableDefinition[]): Promise<Server> {
  const server = dynalite({ createTableMs: 0 });
  for (const { name, createInput } of definitions) {
    await call(server, 'CreateTable', createInput);
    const status = () => call<{ Table: { TableStatus: string } }>(server, 'DescribeTable', { TableName: name });
    while ((await status()).Table.TableStatus !== 'ACTIVE') {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  return server;
}

async function call<Output>(server: Server, operation: string, input: object): Promise<Output> {
  const { status, body } = await request(server, operation, JSON.stringify(input));
  if (status !== 200) {
    throw new Error(`${operation} failed in the local tables: ${body}`);
  }
  return JSON.parse(body) as Output;
}

/** What dynalite checks before it reads the body. */
const wireHeaders = {
  'content-type': 'application/x-amz-json-1.0',
  authorization: 'AWS4-HMAC-SHA256 Credential=sandbox, SignedHeaders=host, Signature=sandbox',
  'x-amz-date': '20000101T000000Z',
};

function request(server: Server, operation: string, body: string): Promise<TableAnswer> {
  return new Promise((resolve) => {
    const headers: Record<string, string> = {};
    const incoming = Object.assign(new EventEmitter(), {
      method: 'POST',
      url: '/',
      headers: { ...wireHeaders, 'x-amz-target': `DynamoDB_20120810.${operation}` },
    });
    const outgoing = {
      statusCode: 200,
      setHeader: (name: string, value: unknown) => {
        headers[name.toLowerCase()] = String(value);
      },
      end: (answer: string) => resolve({ status: outgoing.statusCode, headers, body: answer }),
    };
    server.emit('request', incoming, outgoing);
    incoming.emit('data', Buffer.from(body));
    incoming.emit('end');
  });
}
