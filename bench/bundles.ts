/** How large each function's bundle is, and how long it takes to load next to a handler with nothing but its AWS clients. */
import { execFile } from 'node:child_process';
import { glob, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { bundling } from '../infra/bundle.ts';
import type { Measurement } from './measurement.ts';

const run = promisify(execFile);

const MAX_BUNDLE_KB = 450;
const MAX_LOAD_RATIO = 1.3;
const LOADS = 9;

/** The AWS clients a function may load, by a string that only their bundle has. */
const CLIENTS = {
  '@aws-sdk/client-dynamodb': 'DynamoDB_20120810',
  '@aws-sdk/client-eventbridge': 'com.amazonaws.eventbridge',
  '@aws-sdk/client-lambda': 'com.amazonaws.lambda',
  '@aws-sdk/client-secrets-manager': 'secretsmanager',
  '@aws-sdk/client-sfn': 'AWSStepFunctions',
} as const;

/** Variables a function needs to load at all; their values do not matter here. */
const ENVIRONMENT = [
  ...[
    'PAYMENTS_TABLE',
    'DUE_SHARDS',
    'TOKENS_TABLE',
    'MACHINE_ARN',
    'SECRETS_PREFIX',
    'STACK_ID',
    'OIDC_ISSUER',
    'OIDC_AUDIENCE',
  ],
  ...['PLATFORM_AUTH_URL', 'PLATFORM_API_URL', 'PLATFORM_BASE_URL', 'CALLBACKS_ALLOW_PRIVATE'],
  ...[
    'EVENT_BUS',
    'ACT_ON_WEBHOOK_FUNCTION',
    'RECONCILE_DUE_FUNCTION',
    'READ_DAILY_LISTS_FUNCTION',
    'DELIVER_EVENT_FUNCTION',
  ],
];

export async function measureBundles(directory: string): Promise<readonly Measurement[]> {
  const files: string[] = [];
  for await (const file of glob('*/index.mjs', { cwd: directory })) {
    files.push(join(directory, file));
  }
  const measurements: Measurement[] = [];
  let largest = { name: '', kb: 0 };
  for (const file of files.sort()) {
    const name = basename(dirname(file));
    const kb = (await stat(file)).size / 1000;
    largest = kb > largest.kb ? { name, kb } : largest;
    const found = await clientsOf(file);
    // A function without an AWS client is held to the lightest handler that has one.
    const clients = found.length > 0 ? found : (['@aws-sdk/client-dynamodb'] as const);
    const value = await loadRatio(file, await baseline(directory, clients));
    measurements.push({ what: `load of ${name} next to a bare handler`, budget: MAX_LOAD_RATIO, value, unit: 'times' });
  }
  return [
    { what: `largest bundle (${largest.name})`, budget: MAX_BUNDLE_KB, value: largest.kb, unit: 'kB' },
    ...measurements,
  ];
}

async function clientsOf(file: string): Promise<readonly (keyof typeof CLIENTS)[]> {
  const code = await readFile(file, 'utf8');
  return (Object.keys(CLIENTS) as (keyof typeof CLIENTS)[]).filter((client) => code.includes(CLIENTS[client]));
}

/** A handler that does nothing but have its AWS clients, bundled the same way. */
async function baseline(directory: string, clients: readonly string[]): Promise<string> {
  const source = join(directory, `baseline-${clients.map((client) => basename(client)).join('-') || 'empty'}.ts`);
  const names = clients.map((_, n) => `client${n}`);
  await writeFile(
    source,
    `${clients.map((client, n) => `import * as client${n} from '${client}';`).join('\n')}
export const handler = async () => [${names.map((name) => `Object.values(${name}).find((one) => one.name?.endsWith('Client') && new one({}))`).join(', ')}];`,
  );
  const outfile = source.replace(/\.ts$/, '.mjs');
  await build({
    ...bundling,
    entryPoints: [source],
    outfile,
    nodePaths: [join(import.meta.dirname, '..', 'node_modules')],
  });
  return outfile;
}

/** Of the best loads, made in turns: what is slower than the best is the machine's noise. */
async function loadRatio(file: string, bare: string): Promise<number> {
  let [ourBest, bareBest] = [Infinity, Infinity];
  for (let n = 0; n < LOADS; n++) {
    ourBest = Math.min(ourBest, await loadMs(file));
    bareBest = Math.min(bareBest, await loadMs(bare));
  }
  return ourBest / bareBest;
}

async function loadMs(file: string): Promise<number> {
  const script = `const at = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - at); process.exit()`;
  const env = {
    ...process.env,
    AWS_REGION: 'eu-central-1',
    WEBHOOK_SOURCES: '127.0.0.1',
    ...Object.fromEntries(ENVIRONMENT.map((name) => [name, 'https://bench.invalid'])),
  };
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env });
  return Number(stdout.trim().split('\n').at(-1));
}
