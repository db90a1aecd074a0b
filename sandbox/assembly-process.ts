/** Bundles the functions and synthesizes the local environment, in a process of its own: see assembly.ts. */
import { bundleFunctions } from '../infra/bundle.ts';
import type { AssemblyStep } from './assembly.ts';

const [outdir = '', bundles = ''] = process.argv.slice(2);
process.on('disconnect', () => process.exit()); // the sandbox has ended
const done = (step: AssemblyStep) => process.send?.(step);

// While esbuild works in its own process, the CDK loads here.
const [{ synthesize }] = await Promise.all([
  import('../infra/synthesize.ts'),
  bundleFunctions(bundles, { sourcemap: 'external', sourcesContent: false }).then(() => done({ step: 'bundled' })),
]);
done({ step: 'synthesized', result: synthesize('local', { outdir, bundles }) });
process.disconnect();
