/** Rebuilds the functions that a changed file belongs to, each by an esbuild context of its own, which remembers what did not change. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type BuildContext, type BuildOptions, build, context, type Metafile } from 'esbuild';
import { bundling, entryOf } from '../../infra/bundle.ts';
import { type FunctionName, functionNames } from '../../infra/functions.ts';

export interface Rebuilds {
  /** The functions whose code the files are part of, as of the last build of each. */
  affectedBy(files: ReadonlySet<string>): Promise<readonly FunctionName[]>;
  /** Resolves to the new module of the function, a file; rejects with esbuild's errors. */
  rebuild(name: FunctionName): Promise<string>;
  close(): Promise<void>;
}

export interface RebuildOptions {
  /** Where new modules are written. */
  readonly directory: string;
  /** A function whose code stays readable, with its source map, for a debugger. */
  readonly readable: FunctionName | undefined;
}

export function createRebuilds({ directory, readable }: RebuildOptions): Rebuilds {
  const contexts = new Map<FunctionName, Promise<BuildContext<BuildOptions & { write: false; metafile: true }>>>();
  const inputs = new Map<FunctionName, ReadonlySet<string>>();
  const known = build({ ...optionsOf(functionNames), minify: false }).then(({ metafile }) => {
    for (const name of functionNames) {
      inputs.set(name, inputs.get(name) ?? inputsOf(metafile, name));
    }
  });
  known.catch(() => {}); // awaited below
  let version = 0;

  return {
    async affectedBy(files) {
      await known;
      return functionNames.filter((name) => !files.isDisjointFrom(inputs.get(name) ?? new Set()));
    },
    async rebuild(name) {
      const isReadable = name === readable;
      const options = {
        ...optionsOf([name]),
        sourcemap: isReadable ? 'linked' : 'external',
        minify: !isReadable,
      } as const;
      const opened = contexts.get(name) ?? context(options);
      contexts.set(name, opened);
      const { metafile, outputFiles } = await (await opened).rebuild();
      inputs.set(name, inputsOf(metafile, name));
      const folder = join(directory, String(++version));
      await mkdir(folder, { recursive: true });
      for (const { path, text } of outputFiles) {
        const content = path.endsWith('.map') ? withAbsoluteSources(text, join(path, '..')) : text;
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

function optionsOf(names: readonly FunctionName[]) {
  return {
    ...bundling,
    entryPoints: names.map((name) => ({ in: entryOf(name), out: join(name, 'index') })),
    outdir: '/',
    outExtension: { '.js': '.mjs' },
    sourcesContent: false,
    metafile: true,
    write: false,
    logLevel: 'silent',
  } as const satisfies BuildOptions;
}

function inputsOf({ outputs }: Metafile, name: FunctionName): ReadonlySet<string> {
  const [, output] = Object.entries(outputs).find(([path]) => path.endsWith(`${name}/index.mjs`)) ?? [];
  return new Set(Object.keys(output?.inputs ?? {}).map((path) => resolve(path)));
}

/** A map says where its sources are relative to itself, and is written elsewhere. */
function withAbsoluteSources(map: string, folder: string): string {
  const { sources, ...rest } = JSON.parse(map) as { readonly sources: readonly string[] };
  return JSON.stringify({ ...rest, sources: sources.map((source) => resolve(folder, source)) });
}
