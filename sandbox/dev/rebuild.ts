/** Rebuilds the functions that a changed file belongs to, each by an esbuild context of its own, which remembers what did not change. */
import { readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type BuildContext, type BuildOptions, context } from 'esbuild';
import { bundling, entryOf } from '../../infra/bundle.ts';
import { type FunctionName, functionNames } from '../../infra/functions.ts';

export interface Rebuilds {
  /** The functions that include a file that was changed since the last call. */
  changed(): readonly FunctionName[];
  /** Resolves to the new module of the function, a file; rejects with esbuild's errors. */
  rebuild(name: FunctionName): Promise<string>;
  close(): Promise<void>;
}

export interface RebuildOptions {
  /** The directory of the sandbox: of its first modules, with their source maps, and of the new ones. */
  readonly directory: string;
  /** A function whose code stays readable, with its source map, for a debugger. */
  readonly readable: FunctionName | undefined;
}

interface SourceMap {
  readonly sources: readonly string[];
}

export function createRebuilds({ directory, readable }: RebuildOptions): Rebuilds {
  const contexts = new Map<FunctionName, Promise<BuildContext<BuildOptions & { write: false }>>>();
  const included = new Map<FunctionName, ReadonlySet<string>>();
  /** When each included file was saved last, in whatever way. */
  const saved = new Map<string, number | undefined>();
  let version = 0;

  const include = (name: FunctionName, { sources }: SourceMap) => {
    included.set(name, new Set(sources));
    for (const file of sources) {
      saved.set(file, saved.get(file) ?? savedMs(file));
    }
  };
  for (const name of functionNames) {
    const folder = join(directory, 'functions', name);
    include(name, withAbsoluteSources(readFileSync(join(folder, 'index.mjs.map'), 'utf8'), folder));
  }

  return {
    changed() {
      const changed = new Set<string>();
      for (const [file, before] of saved) {
        const now = savedMs(file);
        if (now !== before) {
          saved.set(file, now);
          changed.add(file);
        }
      }
      return functionNames.filter((name) => !changed.isDisjointFrom(included.get(name) ?? new Set()));
    },
    async rebuild(name) {
      const opened = contexts.get(name) ?? context(optionsOf(name, name === readable));
      contexts.set(name, opened);
      const { outputFiles } = await (await opened).rebuild();
      const folder = join(directory, 'swapped', String(++version));
      await mkdir(folder, { recursive: true });
      for (const { path, text } of outputFiles) {
        let content = text;
        if (path.endsWith('.map')) {
          const map = withAbsoluteSources(text, dirname(path));
          include(name, map);
          content = JSON.stringify(map);
        }
        await writeFile(join(folder, basename(path)), content);
      }
      return join(folder, 'index.mjs');
    },
    async close() {
      for (const opened of contexts.values()) {
        await (await opened).dispose();
      }
    },
  };
}

function optionsOf(name: FunctionName, readable: boolean) {
  return {
    ...bundling,
    entryPoints: [{ in: entryOf(name), out: join(name, 'index') }],
    outdir: '/',
    outExtension: { '.js': '.mjs' },
    sourcesContent: false,
    sourcemap: readable ? 'linked' : 'external',
    minify: !readable,
    write: false,
    logLevel: 'silent',
  } as const satisfies BuildOptions;
}

/** A map says where its sources are relative to itself, and may be written elsewhere. */
function withAbsoluteSources(map: string, folder: string): SourceMap {
  const { sources, ...rest } = JSON.parse(map) as SourceMap;
  return { ...rest, sources: sources.map((source) => resolve(folder, source)) };
}

/** Undefined for a file that is not there. */
function savedMs(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
