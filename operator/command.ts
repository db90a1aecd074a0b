/** Shared by the operator's commands: the command line, one clear line for an error, and lists of items. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Environment, type EnvironmentName, environments } from '../infra/environments.ts';
import type { Items, Kind } from '../shared/payments/items.ts';
import type { ListQuery, Page } from '../shared/payments/queries.ts';
import { createPayments, type Payments } from '../shared/payments/store.ts';

export const environmentNames = Object.keys(environments).join(', ');

const PAGE = 100;

export const print = (line: string) => process.stdout.write(`${line}\n`);

export interface Command {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly environment: Environment;
  readonly payments: Payments;
}

/** Thrown for a wrong command line; the help is printed. */
export class UsageError extends Error {}

/** All items of a kind of a merchant, newest first, whose attributes are as in `where`. */
export function allOf<K extends Kind>(
  payments: Payments,
  kind: K,
  merchantId: string,
  where: NonNullable<ListQuery['where']> = {},
): AsyncGenerator<Items[K]> {
  return everyPage((limit, after) =>
    payments.list(kind, { merchantId, limit, where, ...(after !== undefined && { after }) }),
  );
}

/** The items of all pages, each read when the ones before are used up. */
export async function* everyPage<T>(
  read: (limit: number, after: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<T> {
  let after: string | undefined;
  do {
    const page = await read(PAGE, after);
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

/** Throws when the value of an option is given and is none of these. */
export function checkOption(name: string, value: string | undefined, known: readonly string[]): void {
  if (value !== undefined && !known.includes(value)) {
    throw new Error(`--${name} must be one of ${known.join(', ')}.`);
  }
}

/** Runs a command of this process and sets its exit code; `options` are its text options besides `--environment`. */
export async function runCommand(
  help: string,
  options: readonly string[],
  run: (command: Command) => Promise<number>,
): Promise<void> {
  try {
    process.exitCode = await parsedRun(help, options, run);
  } catch (error) {
    const line = error instanceof Error ? error.message : String(error);
    process.stderr.write(error instanceof UsageError ? `This command is unknown.\n\n${help}\n` : `${line}\n`);
    process.exitCode = 1;
  }
}

async function parsedRun(help: string, names: readonly string[], run: (command: Command) => Promise<number>) {
  const options: ParseArgsOptionsConfig = {
    help: { type: 'boolean', short: 'h' },
    ...Object.fromEntries(['environment', ...names].map((name) => [name, { type: 'string' }])),
  };
  const { values: parsed, positionals } = parseArgs({ args: process.argv.slice(2), allowPositionals: true, options });
  const { help: helped, ...values } = parsed as Readonly<Record<string, string | undefined>> & { help?: unknown };
  if (helped || positionals.length === 0) {
    print(help);
    return helped ? 0 : 1;
  }
  const environment = environments[values['environment'] as EnvironmentName];
  if (environment === undefined) {
    throw new Error(`--environment must be one of ${environmentNames}.`);
  }
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({ region: environment.region }), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const payments = createPayments(documents, {
    name: `tillflow-${environment.name}-payments`,
    dueShards: environment.data.dueShards,
  });
  return run({ positionals, values, environment, payments });
}
