/** A stack with one REST API, built by a test as the synthesized template would resolve. */
import type { ApiStack } from '../../../../../sandbox/cloud/gateway/api.ts';
import type { ResolvedResource } from '../../../../../sandbox/cloud/seams.ts';

type Properties = Record<string, unknown>;

export interface ApiParts {
  /** The properties of methods by route, for example `GET /sales/{saleId}`. */
  readonly routes: Readonly<Record<string, Properties>>;
  readonly api?: Properties;
  readonly authorizers?: Readonly<Record<string, Properties>>;
  readonly responses?: Readonly<Record<string, Properties>>;
  readonly validators?: Readonly<Record<string, Properties>>;
  readonly models?: Readonly<Record<string, Properties>>;
  readonly stage?: Properties;
}

export function stackOf({
  routes,
  api = {},
  authorizers = {},
  responses = {},
  validators = {},
  models = {},
  stage = {},
}: ApiParts): ApiStack {
  const all = new Map<string, ResolvedResource>();
  const add = (logicalId: string, type: string, properties: Properties) =>
    all.set(logicalId, { type: `AWS::ApiGateway::${type}`, properties: { RestApiId: 'ref-Api', ...properties } });
  all.set('Api', { type: 'AWS::ApiGateway::RestApi', properties: { Name: 'api', ...api } });
  for (const [route, properties] of Object.entries(routes)) {
    const [httpMethod = '', path = ''] = route.split(' ');
    let parent = 'root';
    for (const part of path.split('/').filter(Boolean)) {
      const logicalId = `${parent}/${part}`;
      add(logicalId, 'Resource', { ParentId: refOf(parent), PathPart: part });
      parent = logicalId;
    }
    add(route, 'Method', {
      ResourceId: refOf(parent),
      HttpMethod: httpMethod,
      Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', Uri: invocationOf('work') },
      ...properties,
    });
  }
  const named = { Authorizer: authorizers, RequestValidator: validators, Model: models };
  for (const [type, resources] of Object.entries(named)) {
    for (const [logicalId, properties] of Object.entries(resources)) {
      add(logicalId, type, properties);
    }
  }
  for (const [type, properties] of Object.entries(responses)) {
    add(`Response-${type}`, 'GatewayResponse', { ResponseType: type, ...properties });
  }
  add('Stage', 'Stage', { StageName: 'v1', ...stage });
  return {
    region: 'eu-west-1',
    account: '000000000000',
    ref: refOf,
    attribute: () => 'root',
    ofType: (...types) => new Map([...all].filter(([, { type }]) => types.includes(type))),
  };
}

export function invocationOf(name: string): string {
  return `arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/${functionArn(name)}/invocations`;
}

export function functionArn(name: string): string {
  return `arn:aws:lambda:eu-west-1:000000000000:function:${name}`;
}

function refOf(logicalId: string): string {
  return logicalId === 'root' ? 'root' : `ref-${logicalId}`;
}
