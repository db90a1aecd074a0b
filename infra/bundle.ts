/**
 * Bundles all functions with one esbuild call, one folder each with an `index.mjs`, AWS clients included: what runs is
 * pinned by the lockfile. The packages' ES modules tree-shake, and half the text is gone when minified; names are kept,
 * so that a stack trace in a log still says which function failed.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { functionNames, functions } from './functions.ts';

const source = join(import.meta.dirname, '..', 'functions');

/** How any function is bundled. */
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

/** Resolves when `outdir` holds one folder per function of the stack; `options` change how they are bundled. */
export async function bundleFunctions(outdir: string, options: BuildOptions = {}): Promise<void> {
  const missing = functionNames.filter((name) => !existsSync(entryOf(name)));
  if (missing.length > 0) {
    throw new Error(`there is no code of ${missing.join(', ')}`);
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
