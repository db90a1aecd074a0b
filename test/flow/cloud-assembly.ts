/** Writes a small cloud assembly into a temporary folder, as CDK would synthesize it for these resources. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Assembly {
  readonly assembly: string;
  readonly stack: string;
  remove(): void;
}

export interface AssemblyInput {
  readonly parameters?: Record<string, { readonly Default?: string }>;
  readonly resources: Record<string, { readonly Type: string; readonly Properties?: object }>;
  /** The source text of each function's module, by asset name. */
  readonly code?: Readonly<Record<string, string>>;
  readonly outputs?: Record<string, { readonly Value: unknown }>;
}

export function writeAssembly({ parameters = {}, resources, code = {}, outputs = {} }: AssemblyInput): Assembly {
  const assembly = mkdtempSync(join(tmpdir(), 'tillflow-assembly-'));
  const files: Record<string, object> = {};
  for (const [asset, source] of Object.entries(code)) {
    mkdirSync(join(assembly, asset));
    writeFileSync(join(assembly, asset, 'index.mjs'), source);
    files[asset] = { source: { path: asset }, destinations: { here: { objectKey: `${asset}.zip` } } };
  }
  writeFileSync(join(assembly, 'shop.assets.json'), JSON.stringify({ files }));
  const template = { Parameters: parameters, Resources: resources, Outputs: outputs };
  writeFileSync(join(assembly, 'shop.template.json'), JSON.stringify(template));
  return { assembly, stack: 'shop', remove: () => rmSync(assembly, { recursive: true, force: true }) };
}

/** The resources of one function and its role. */
export function lambda(
  name: string,
  {
    statements = [],
    ...properties
  }: { readonly statements?: readonly object[]; readonly [property: string]: unknown } = {},
): AssemblyInput['resources'] {
  return {
    [`${name}Role`]: {
      Type: 'AWS::IAM::Role',
      Properties: { Policies: [{ PolicyName: 'inline', PolicyDocument: { Statement: statements } }] },
    },
    [name]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: name,
        Code: { S3Bucket: 'assets', S3Key: `${name}.zip` },
        Handler: 'index.handler',
        Role: { 'Fn::GetAtt': [`${name}Role`, 'Arn'] },
        Runtime: 'nodejs24.x',
        ...properties,
      },
    },
  };
}
