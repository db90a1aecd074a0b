/**
 * Loads one stack of a synthesized cloud assembly and resolves it as a deployment would: parameters, conditions,
 * intrinsic functions, names and ARNs, and the folders of the functions' code.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import { holds, noValue, resolve, type Scope } from './intrinsics.ts';
import { executedTypes, type Identity, ignoredResourceType, isIgnored, type ResourceType } from './resource-types.ts';
import type { ResolvedResource } from './seams.ts';

export interface TemplateSource {
  /** The directory of the cloud assembly that contains `<stack>.template.json` and `<stack>.assets.json`. */
  readonly assembly: string;
  readonly stack: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly region?: string;
}

export interface Stack {
  readonly name: string;
  readonly region: string;
  readonly account: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** The executed resources of these types, by logical id. A type may end in `::` to mean the whole service. */
  ofType(...types: string[]): ReadonlyMap<string, ResolvedResource>;
  /** The value of Ref for a resource. */
  ref(logicalId: string): string;
  attribute(logicalId: string, attribute: string): string;
  /** The folder of an asset, by the object key in the template. */
  assetFolder(objectKey: string): string;
}

interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Record<string, unknown>;
  readonly Condition?: string;
}

interface Template {
  readonly Parameters?: Record<string, { readonly Default?: string }>;
  readonly Conditions?: Record<string, unknown>;
  readonly Resources: Record<string, TemplateResource>;
  readonly Outputs?: Record<string, { readonly Value: unknown; readonly Condition?: string }>;
}

const account = '000000000000';

export function loadStack({ assembly, stack, parameters, region = 'eu-central-1' }: TemplateSource): Stack {
  const template = readJson(join(assembly, `${stack}.template.json`)) as Template;
  const stackId = `arn:aws:cloudformation:${region}:${account}:stack/${stack}/${randomUUID()}`;
  const pseudo: Record<string, unknown> = {
    'AWS::AccountId': account,
    'AWS::NoValue': noValue,
    'AWS::Partition': 'aws',
    'AWS::Region': region,
    'AWS::StackId': stackId,
    'AWS::StackName': stack,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  const unknownParameters = Object.keys(parameters).filter((name) => template.Parameters?.[name] === undefined);
  if (unknownParameters.length > 0) {
    throw new Error(`the template has no parameter ${unknownParameters.join(', ')}`);
  }

  const scope: Scope = {
    ref: (name) => {
      if (name in pseudo) {
        return pseudo[name];
      }
      const parameter = template.Parameters?.[name];
      if (parameter === undefined) {
        return typeOf(name).ref(identify(name));
      }
      const value = parameters[name] ?? parameter.Default;
      if (value === undefined) {
        throw new Error(`the template's parameter ${name} has neither a value nor a default`);
      }
      return value;
    },
    attribute: (logicalId, attribute) => {
      const value = typeOf(logicalId).attributes[attribute];
      if (value === undefined) {
        throw new Error(`the local cloud does not know the attribute ${attribute} of ${logicalId}`);
      }
      return value(identify(logicalId));
    },
    condition: (name) => {
      const condition = template.Conditions?.[name];
      if (condition === undefined) {
        throw new Error(`the template names the condition ${name}, which it does not have`);
      }
      return condition;
    },
  };

  function typeOf(logicalId: string): ResourceType {
    const type = template.Resources[logicalId]?.Type;
    if (type === undefined) {
      throw new Error(`the template names ${logicalId}, which it does not have`);
    }
    const known = executedTypes[type] ?? (isIgnored(type) ? ignoredResourceType(type) : undefined);
    if (known === undefined) {
      throw new Error(`the local cloud does not know the resource type ${type} (${logicalId})`);
    }
    return known;
  }

  function identify(logicalId: string): Identity {
    const { nameProperty } = typeOf(logicalId);
    const explicit = nameProperty === undefined ? undefined : template.Resources[logicalId]?.Properties?.[nameProperty];
    const name = explicit === undefined ? `${stack}-${logicalId}` : String(resolve(explicit, scope));
    const id = createHash('sha256').update(`${stackId}/${logicalId}`).digest('hex').slice(0, 10);
    return { region, account, name, id };
  }

  const present = (condition: string | undefined) =>
    condition === undefined || holds(scope.condition(condition), scope);
  const resources = new Map<string, ResolvedResource>();
  for (const [logicalId, { Type: type, Properties = {}, Condition }] of Object.entries(template.Resources)) {
    typeOf(logicalId);
    if (present(Condition) && !isIgnored(type)) {
      resources.set(logicalId, { type, properties: resolve(Properties, scope) as Record<string, unknown> });
    }
  }

  return {
    name: stack,
    region,
    account,
    outputs: Object.fromEntries(
      Object.entries(template.Outputs ?? {})
        .filter(([, { Condition }]) => present(Condition))
        .map(([name, { Value }]) => [name, String(resolve(Value, scope))]),
    ),
    ofType: (...types) =>
      new Map(
        [...resources].filter(([, { type }]) =>
          types.some((t) => (t.endsWith('::') ? type.startsWith(t) : type === t)),
        ),
      ),
    ref: (logicalId) => String(scope.ref(logicalId)),
    attribute: scope.attribute,
    assetFolder: (objectKey) => assetFolder(assembly, stack, objectKey),
  };
}

interface AssetManifest {
  readonly files: Record<
    string,
    {
      readonly source: { readonly path: string };
      readonly destinations: Record<string, { readonly objectKey: string }>;
    }
  >;
}

function assetFolder(assembly: string, stack: string, objectKey: string): string {
  const manifest = readJson(join(assembly, `${stack}.assets.json`)) as AssetManifest;
  for (const { source, destinations } of Object.values(manifest.files)) {
    if (Object.values(destinations).some((destination) => destination.objectKey === objectKey)) {
      return resolvePath(assembly, source.path);
    }
  }
  throw new Error(`the cloud assembly has no asset ${objectKey}`);
}

function readJson(path: string): unknown {
  if (!existsSync(path)) {
    throw new Error(`the cloud assembly has no ${path}: synthesize it first`);
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}
