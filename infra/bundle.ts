/**
 * Bundles all functions with one esbuild call into one folder each with an `index.mjs`, including the AWS clients, so
 * that the lockfile pins what runs. ES modules are tree-shaken and minified; names are kept, so that stack traces in
 * logs still name the failing function.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { functionNames, functions } from './functions.ts';

const source = join(import.meta.dirname, '..', 'functions');

/** The esbuild options of every function. */
export const bundling: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  alias: {
    '@smithy/core/event-streams': join(import.meta.dirname, 'lambda-event-streams.ts'),
    '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'lambda-credentials.ts'),
    '@aws-sdk/middleware-endpoint-discovery': join(import.meta.dirname, 'lambda-endpoints.ts'),
  },
  minify: true,
  keepNames: true,
  logLevel: 'warning',
};

/** Resolves when `outdir` contains one folder per function of the stack; `options` change how they are bundled. */
export async function bundleFunctions(outdir: string, options: BuildOptions = {}): Promise<void> {
  const missing = functionNames.filter((name) => !existsSync(entryOf(name)));
  if (missing.length > 0) {
    throw new Error(`there is no code for ${missing.join(', ')}`);
  }
  await build({
    ...bundling,
    ...options,
    entryPoints: functionNames.map((name) => ({ in: entryOf(name), out: join(name, 'index') })),
    outdir,
    outExtension: { '.js': '.mjs' },
  });
}

/** Where the code of a function begins. */
export function entryOf(name: (typeof functionNames)[number]): string {
  return join(source, functions[name].folder, 'index.ts');
}
