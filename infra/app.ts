/** The app of `cdk synth` and `cdk deploy`: every environment, checked against the AWS Solutions rules. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions } from './bundle.ts';
import { environments } from './environments.ts';
import { TillflowStack } from './stack.ts';

const bundles = mkdtempSync(join(tmpdir(), 'tillflow-bundles-'));
try {
  await bundleFunctions(bundles);
  // The CDK's command line passes the output folder; without it the CDK's default is used.
  const app = new App({ outdir: process.env['CDK_OUTDIR'] ?? 'cdk.out', analyticsReporting: false });
  for (const environment of Object.values(environments)) {
    new TillflowStack(app, { environment, bundles });
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
} finally {
  rmSync(bundles, { recursive: true });
}
