/** Synthesizes one environment for the sandbox and the tests: a cloud assembly on disk, within a second or two. */
import { App } from 'aws-cdk-lib';
import { type EnvironmentName, environments } from './environments.ts';
import { stackName, TillflowStack } from './stack.ts';

export interface SynthesizeOptions {
  /** The directory of the cloud assembly. */
  readonly outdir: string;
  /** The folder with one bundle per function; see bundle.ts. */
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
