import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { type EnvironmentName, environments } from '../../infra/environments.ts';
import { mayInvoke } from '../../sandbox/cloud/gateway/policy.ts';
import { routes } from '../../shared/api/routes.ts';
import { differences, written } from './differences.ts';
import { synthesized, text } from './synthesized.ts';

const names = Object.keys(environments) as EnvironmentName[];
const all = new Map(names.map((name) => [name, synthesized(name)] as const));
const of = (name: EnvironmentName) => all.get(name) as ReturnType<typeof synthesized>;

describe.each(names)('the %s environment', (name) => {
  const { app, template, resources, only } = of(name);
  const policy = only('AWS::ApiGateway::RestApi').Policy.Statement.map(withTexts);

  it('has no security finding that nobody gave a reason for', () => {
    const { violations } = new AwsSolutionsChecks(app).validateScope(app);

    expect(violations.map(({ ruleName }) => ruleName)).toEqual([]);
  });

  it('makes nothing that runs code of the CDK’s', () => {
    const types = Object.values(template.toJSON().Resources as Record<string, { Type: string }>).map(
      ({ Type }) => Type,
    );

    expect(types.filter((type) => type.startsWith('Custom::') || type.includes('CustomResource'))).toEqual([]);
  });

  it('lets the addresses of the platform be given when it starts', () => {
    expect(Object.keys(template.toJSON().Parameters)).toEqual(
      expect.arrayContaining(['PlatformAuthUrl', 'PlatformApiUrl', 'PlatformBaseUrl']),
    );
  });

  it('says in every alarm what it means and what to do, and tells somebody', () => {
    const alarms = Object.values(resources('AWS::CloudWatch::Alarm'));
    const topic = Object.keys(resources('AWS::SNS::Topic'))[0];

    expect(alarms.length).toBeGreaterThan(10);
    for (const { Properties } of alarms) {
      expect(Properties.AlarmDescription).toMatch(/^Impact: .+\. Action: .+\. \(docs\/operations\.md\)$/s);
      expect(Properties.AlarmActions).toEqual([{ Ref: topic }]);
      expect(Properties.TreatMissingData).toBe('notBreaching');
    }
  });

  it('counts the errors of every step by name', () => {
    const filters = Object.values(resources('AWS::Logs::MetricFilter'));

    expect(filters).toHaveLength(12);
    for (const { Properties } of filters) {
      expect(Properties.FilterPattern).toBe('{ $.errorName = "*" }');
      expect(Properties.MetricTransformations).toEqual([
        expect.objectContaining({
          MetricNamespace: `tillflow/${name}`,
          Dimensions: [{ Key: 'errorName', Value: '$.errorName' }],
        }),
      ]);
    }
  });

  it('opens the storefront’s paths to everybody, and everything else as strictly as it says', () => {
    const { sources, mode } = environments[name].webhooks;
    const call = (path: string, sourceIp: string) =>
      mayInvoke(policy, { methodArn: `arn:aws:execute-api:eu-central-1:1:api/v1/${path}`, sourceIp });
    const [source = ''] = sources;
    const storefront = routes.map(({ method, path }) => `${method}${path.replaceAll(/\{\w+\}/g, '7')}`);
    const notFound = ['PUT/sales', 'OPTIONS/rf-orders/7', 'HEAD/charges/7/capture'];
    const hooks = ['GET/webhooks/a/b', 'POST/webhooks/a/b'];
    const disguised = ['POST/%77ebhooks/a/b', 'POST//webhooks/a/b', 'DELETE/rf%2dorders/7', 'GET/'];

    expect([...storefront, ...notFound].filter((path) => !call(path, '203.0.113.9'))).toEqual([]);
    expect(hooks.map((path) => call(path, '203.0.113.9'))).toEqual(hooks.map(() => mode === 'observe'));
    expect(hooks.map((path) => call(path, source))).toEqual(hooks.map(() => true));
    expect(disguised.filter((path) => call(path, '203.0.113.9'))).toEqual([]);
  });

  it('has a firewall where it says so', () => {
    const count = environments[name].firewall === undefined ? 0 : 1;

    expect(Object.keys(of(name).resources('AWS::WAFv2::WebACL'))).toHaveLength(count);
  });
});

describe('the template that was reviewed', () => {
  const production = reviewed('production');

  it('is what production deploys', async () => {
    await expect(`${written(production)}\n`).toMatchFileSnapshot('./snapshots/production.snap');
  });

  it.each(names.filter((name) => name !== 'production'))('differs for %s only where this says so', async (name) => {
    const lines = differences(production, reviewed(name));

    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`./snapshots/${name}-instead-of-production.snap`);
  });
});

it('names a parameter for its issuer only where it has no user pool', () => {
  for (const name of names) {
    const parameters = Object.keys(of(name).template.toJSON().Parameters);
    const pools = Object.keys(of(name).resources('AWS::Cognito::UserPool'));

    expect(parameters.includes('OidcIssuer')).toBe(pools.length === 0);
  }
});

/** A statement of the resource policy with its references resolved. */
function withTexts(statement: Readonly<Record<string, unknown>>) {
  const named = statement['NotResource'] as readonly unknown[] | undefined;
  return named === undefined ? statement : { ...statement, NotResource: named.map(text) };
}

/** Without what changes with every line of code, and with one name for the environment, which many names contain. */
function reviewed(name: EnvironmentName): unknown {
  return JSON.parse(
    JSON.stringify(of(name).template.toJSON())
      .replaceAll(/[0-9a-f]{64}\.zip/g, 'code.zip')
      .replaceAll(/(Deployment[0-9A-F]{8})[0-9a-f]{32}/g, '$1')
      .replaceAll(/(ApiPermission(?:Test)?)tillflow[a-z]+StorefrontApi[0-9A-F]{8}(\w+?)[0-9A-F]{8}\b/g, '$1$2')
      .replaceAll(new RegExp(`(tillflow[-/])${name}\\b`, 'g'), '$1<environment>'),
  );
}
