/** The template of an environment, with empty functions: tests check what the template says about them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import { type EnvironmentName, environments } from '../../infra/environments.ts';
import { functionNames } from '../../infra/functions.ts';
import { TillflowStack } from '../../infra/stack.ts';

interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: templates are as deep as they are; tests compare parts of them.
  readonly Properties: any;
  readonly DeletionPolicy?: string;
}

export interface Synthesized {
  readonly app: App;
  readonly template: Template;
  /** The resources of one type. */
  resources(type: string): Readonly<Record<string, Resource>>;
  /** The properties of the only resource of a type. */
  // biome-ignore lint/suspicious/noExplicitAny: see Resource.
  only(type: string): any;
}

export function synthesized(name: EnvironmentName): Synthesized {
  const folder = mkdtempSync(join(tmpdir(), 'tillflow-template-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const bundles = join(folder, 'bundles');
  for (const functionName of functionNames) {
    mkdirSync(join(bundles, functionName), { recursive: true });
    writeFileSync(join(bundles, functionName, 'index.mjs'), 'export const handler = () => undefined;\n');
  }
  const app = new App({ outdir: join(folder, 'out'), analyticsReporting: false });
  const template = Template.fromStack(new TillflowStack(app, { environment: environments[name], bundles }));
  const resources = (type: string) => template.findResources(type) as Record<string, Resource>;
  return {
    app,
    template,
    resources,
    only: (type) => {
      const [first, ...others] = Object.values(resources(type));
      if (first === undefined || others.length > 0) {
        throw new Error(`not exactly one ${type}`);
      }
      return first.Properties;
    },
  };
}

/** The text of a template with every reference as `<LogicalId.Attribute>`. */
export function text(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  const [[name, argument]] = Object.entries(value as Record<string, unknown>) as [[string, unknown]];
  switch (name) {
    case 'Ref':
      return argument === 'AWS::Partition' ? 'aws' : `<${argument}>`;
    case 'Fn::GetAtt':
      return `<${(argument as string[]).join('.')}>`;
    case 'Fn::Join': {
      const [separator, parts] = argument as [string, unknown[]];
      return parts.map(text).join(separator);
    }
    default:
      throw new Error(`no text of ${name}`);
  }
}
