/** Synthesizes one environment alone, for the sandbox and the tests: a cloud assembly on disk, in a second or two. */
import { App } from 'aws-cdk-lib';
import { type EnvironmentName, environments } from './environments.ts';
import { stackName, TillflowStack } from './stack.ts';

export interface SynthesizeOptions {
  /** The cloud assembly's directory. */
  readonly outdir: string;
  /** Folder with one bundle per function; see bundle.ts. */
  readonly bundles: string;
}

export interface Synthesized {
  readonly assembly: string;
  readonly stack: string;
}

export function synthesize(name: EnvironmentName, { outdir, bundles }: SynthesizeOptions): Synthesized {
  const app = new App({ outdir, analyticsReporting: false });
  const environment = environments[name];
  new TillflowStack(app, { environment, bundles });
  app.synth();
  return { assembly: outdir, stack: stackName(environment) };
}
