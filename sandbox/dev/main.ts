/** `npm run dev`: the sandbox stays up, and runs the code of functions/ and shared/ as it is on disk. */
import { watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildFailure, formatMessages } from 'esbuild';
import type { FunctionName } from '../../infra/functions.ts';
import { howToGoOn } from '../how-to-go-on.ts';
import { assertUsable } from '../ports.ts';
import { stopOnSignals } from '../signals.ts';
import { DEV_HELP, type DevOptions, parseDevOptions } from './options.ts';
import { createRebuilds } from './rebuild.ts';

/** An editor writes a file in several steps. */
const QUIET_MS = 30;
const WATCHED = ['functions', 'shared'];

const print = (line: string) => process.stdout.write(`${line}\n`);
const fail = (error: unknown): never => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
};

const options = readOptions();
if (options.help) {
  print(DEV_HELP.trimEnd());
  process.exit(0);
}
const { port, seed, inspect, inspectPort } = options;
await assertUsable(port, '--port').catch(fail);
if (inspect !== undefined) {
  await assertUsable(inspectPort, '--inspect-port').catch(fail);
}
const { startSandbox } = await import('../sandbox.ts');
const sandbox = await startSandbox({ port, seed, onProgress: print }).catch(fail);
stopOnSignals(sandbox.close);
const rebuilds = createRebuilds({ directory: join(sandbox.directory, 'swapped'), readable: inspect });
if (inspect !== undefined) {
  await swap(inspect).catch(fail);
  print(`${inspect} waits for a debugger at 127.0.0.1:${inspectPort} (chrome://inspect, or "attach" in an editor)`);
}
watchSources();
print(howToGoOn(await sandbox.readyLine(), sandbox));
print(`\nWatching ${WATCHED.join('/ and ')}/.`);

function readOptions(): DevOptions {
  try {
    return parseDevOptions(process.argv.slice(2));
  } catch (error) {
    const line = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return fail(`${line} (see npm run dev -- --help)`);
  }
}

function watchSources(): void {
  const changed = new Set<string>();
  let quiet: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  for (const folder of WATCHED) {
    watch(folder, { recursive: true }, (_, file) => {
      if (file?.endsWith('.ts')) {
        changed.add(resolve(folder, file));
        clearTimeout(quiet);
        quiet = setTimeout(() => {
          const files = new Set(changed);
          changed.clear();
          working = working.then(() => swapAffected(files));
        }, QUIET_MS);
      }
    });
  }
}

async function swapAffected(files: ReadonlySet<string>): Promise<void> {
  const start = performance.now();
  try {
    const names = await rebuilds.affectedBy(files);
    if (names.length === 0) {
      return;
    }
    const results = await Promise.allSettled(names.map(swap));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) {
      throw failed.reason;
    }
    const what = names.length > 5 ? `${names.length} functions` : names.join(', ');
    print(`swapped ${what} in ${Math.round(performance.now() - start)} ms`);
  } catch (error) {
    await printBuildErrors(error);
  }
}

async function swap(name: FunctionName): Promise<void> {
  const file = await rebuilds.rebuild(name);
  await sandbox.cloud.swapFunction(name, file, name === inspect ? inspectPort : undefined);
}

async function printBuildErrors(error: unknown): Promise<void> {
  const { errors = [] } = error as Partial<BuildFailure>;
  const texts = await formatMessages([...errors], { kind: 'error', color: process.stdout.isTTY });
  print(texts.length === 0 ? String(error) : texts.join('').trimEnd());
  print('the old code stays');
}
