/** Bundles the worker's module once per process, so that a worker starts without reading or stripping TypeScript. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

let bundled: Promise<URL> | undefined;

export function workerBootstrap(): Promise<URL> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<URL> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./worker.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    write: false,
  });
  return new URL(`data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString('base64')}`);
}
