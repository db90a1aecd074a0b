/** `npm run dev`: the sandbox stays up, and runs the code of functions/ and shared/ as it is on disk. */
import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
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
const rebuilds = createRebuilds({ directory: sandbox.directory, readable: inspect });
stopOnSignals(async () => {
  await rebuilds.close();
  await sandbox.close();
});
if (inspect !== undefined) {
  await swap(inspect).catch(fail);
  print(`${inspect} waits for a debugger at 127.0.0.1:${inspectPort} (chrome://inspect, or "attach" in an editor)`);
}
let working: Promise<void> = Promise.resolve();
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

/**
 * Watches the folders, because the watch of a file ends when an editor puts another in its place. Starts anew after each
 * change, because folders come and go, too.
 */
function watchSources(): void {
  const watchers: FSWatcher[] = [];
  let quiet: NodeJS.Timeout | undefined;
  const onChange = () => {
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      for (const watcher of watchers) {
        watcher.close();
      }
      watchSources();
      working = working.then(swapChanged);
    }, QUIET_MS);
  };
  try {
    for (const folder of WATCHED.flatMap(foldersIn)) {
      watchers.push(watch(folder, onChange));
    }
  } catch {
    onChange(); // A folder was gone before its watch began.
  }
}

function foldersIn(root: string): string[] {
  const inside = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [root, ...inside.map(({ parentPath, name }) => join(parentPath, name))];
}

async function swapChanged(): Promise<void> {
  const start = performance.now();
  try {
    const names = rebuilds.changed();
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
