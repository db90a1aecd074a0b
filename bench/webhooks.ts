/**
 * The time to receive a webhook, compared with a bare handler that does one conditional put. Both run here in turns on
 * one DynamoDB in memory. act-on-webhook is a separate function and is only invoked.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { build } from 'esbuild';
import { bundling } from '../infra/bundle.ts';
import type { Measurement } from './measurement.ts';

const ROUNDS = 21;
const PER_ROUND = 100;
/** Half the rate of the bare handler. */
const MAX_TIMES_BARE = 2;
const MAX_P99_MS = 100;

const ACCOUNT = '0b9f4a52-6d0e-4c53-8f1c-6a3f0d3c9a77';
const PATH_TOKEN = 'a'.repeat(48);
const TABLE = 'payments';

type Handler = (event: object, context: object) => Promise<{ readonly statusCode: number }>;

export async function measureWebhooks(directory: string): Promise<readonly Measurement[]> {
  const database = dynalite({ createTableMs: 0 }).listen(0, '127.0.0.1');
  const others = createServer((request, response) => void answer(request.url ?? '', response)).listen(0, '127.0.0.1');
  await Promise.all([once(database, 'listening'), once(others, 'listening')]);
  const { write } = process.stdout;
  try {
    Object.assign(process.env, environment(urlOf(database), urlOf(others)));
    await createTable();
    const webhook = await load(join(directory, 'receive-webhook', 'index.mjs'));
    const bare = await load(await bareHandler(directory));
    process.stdout.write = () => true; // Log lines and metrics are created and discarded.
    await round(webhook);
    await round(bare);
    const ours: number[] = [];
    const theirs: number[] = [];
    let [ourBest, theirBest] = [Infinity, Infinity]; // The best round, because anything slower is noise of the machine.
    for (let n = 0; n < ROUNDS; n++) {
      theirBest = Math.min(theirBest, await round(bare, theirs));
      ourBest = Math.min(ourBest, await round(webhook, ours));
    }
    return [
      {
        what: 'time per webhook compared with a bare handler with one conditional put',
        budget: MAX_TIMES_BARE,
        value: ourBest / theirBest,
        unit: 'times',
      },
      {
        what: `p99 of a webhook (bare handler ${p99(theirs).toFixed(1)} ms)`,
        budget: MAX_P99_MS,
        value: p99(ours),
        unit: 'ms',
      },
    ];
  } finally {
    process.stdout.write = write;
    database.close();
    others.close();
  }
}

/** The real time of one round, with one call after the other as in one instance; the time of each call is added to `times`. */
async function round(handler: Handler, times: number[] = []): Promise<number> {
  const startedAt = performance.now();
  for (let n = 0; n < PER_ROUND; n++) {
    const at = performance.now();
    const { statusCode } = await handler(webhookRequest(), context);
    times.push(performance.now() - at);
    if (statusCode !== 200) {
      throw new Error(`a webhook of the bench was answered with ${statusCode}`);
    }
  }
  return performance.now() - startedAt;
}

function webhookRequest(): object {
  const path = `/webhooks/${ACCOUNT}/${PATH_TOKEN}`;
  const eventData = { MerchantTrns: `order ${crypto.randomUUID()}`, OrderCode: 1_272_214_778_972_604, Amount: 50 };
  return {
    httpMethod: 'POST',
    resource: '/webhooks/{accountId}/{pathToken}',
    path,
    pathParameters: { accountId: ACCOUNT, pathToken: PATH_TOKEN },
    multiValueHeaders: { 'Content-Type': ['application/json'] },
    body: JSON.stringify({ EventTypeId: 1796, MessageId: crypto.randomUUID(), EventData: eventData }),
    isBase64Encoded: false,
    requestContext: { requestId: crypto.randomUUID(), path, identity: { sourceIp: '127.0.0.1' } },
  };
}

/** A handler that only stores what it receives. */
async function bareHandler(directory: string): Promise<string> {
  const source = join(directory, 'bare-webhook.ts');
  await writeFile(
    source,
    `import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
export const handler = async (event) => {
  const { MessageId, ...webhook } = JSON.parse(event.body);
  await client.send(new PutCommand({ TableName: '${TABLE}', Item: { pk: MessageId, webhook }, ConditionExpression: 'attribute_not_exists(pk)' }));
  return { statusCode: 200 };
};`,
  );
  const outfile = source.replace(/\.ts$/, '.mjs');
  const nodePaths = [join(import.meta.dirname, '..', 'node_modules')];
  await build({ ...bundling, entryPoints: [source], outfile, nodePaths });
  return outfile;
}

async function load(file: string): Promise<Handler> {
  return ((await import(file)) as { handler: Handler }).handler;
}

function environment(databaseUrl: string, othersUrl: string): Record<string, string> {
  return {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_ENDPOINT_URL: othersUrl,
    AWS_ENDPOINT_URL_DYNAMODB: databaseUrl,
    PAYMENTS_TABLE: TABLE,
    DUE_SHARDS: '1',
    TOKENS_TABLE: TABLE,
    SECRETS_PREFIX: 'bench',
    ACT_ON_WEBHOOK_FUNCTION: 'act-on-webhook',
    WEBHOOK_SOURCES: '127.0.0.1',
    PLATFORM_AUTH_URL: othersUrl,
    PLATFORM_API_URL: othersUrl,
    PLATFORM_BASE_URL: othersUrl,
    POWERTOOLS_SERVICE_NAME: 'receive-webhook',
    POWERTOOLS_METRICS_NAMESPACE: 'tillflow',
  };
}

/** Lambda accepts every invocation; Secrets Manager has the one account. */
function answer(url: string, response: import('node:http').ServerResponse): void {
  if (url.includes('/invocations')) {
    response.writeHead(202).end();
    return;
  }
  const SecretString = JSON.stringify({ webhookPathTokens: [PATH_TOKEN] });
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify({ SecretString }));
}

async function createTable(): Promise<void> {
  await new DynamoDBClient({}).send(
    new CreateTableCommand({
      TableName: TABLE,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    }),
  );
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}

const context = { functionName: 'bench', getRemainingTimeInMillis: () => 25_000 };
