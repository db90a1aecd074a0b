import { describe, expect, it } from 'vitest';
import { functions } from '../../infra/functions.ts';
import { problems } from '../../shared/api/problems.ts';
import { openRoutes, routes } from '../../shared/api/routes.ts';
import { synthesized, text } from './synthesized.ts';

const { resources, only } = synthesized('production');
const stage = only('AWS::ApiGateway::Stage');
const methods = Object.values(resources('AWS::ApiGateway::Method')).map(({ Properties }) => ({
  method: Properties.HttpMethod as string,
  path: pathOf(Properties.ResourceId),
  authorization: Properties.AuthorizationType as string,
  authorizer: Properties.AuthorizerId?.Ref as string | undefined,
  folder: folderOf(Properties.Integration.Uri),
}));
const answers = Object.fromEntries(
  Object.values(resources('AWS::ApiGateway::GatewayResponse')).map(({ Properties }) => [
    Properties.ResponseType,
    {
      status: Properties.StatusCode as string,
      headers: Properties.ResponseParameters as Record<string, string>,
      body: JSON.parse(Properties.ResponseTemplates['application/json']),
    },
  ]),
);

describe('the storefront API', () => {
  it('sends every route to its function, behind the authorizer', () => {
    const authorizer = Object.keys(resources('AWS::ApiGateway::Authorizer'))[0];
    const routed = methods.filter(({ method, authorization }) => method !== 'ANY' && authorization !== 'NONE');

    expect(routed).toHaveLength(routes.length);
    expect(routed).toEqual(
      expect.arrayContaining(
        routes.map(({ method, path, function: folder }) => ({
          method,
          path,
          authorization: 'CUSTOM',
          authorizer,
          folder,
        })),
      ),
    );
  });

  it('lets the platform in without the authorizer, on the webhook path only', () => {
    const open = methods.filter(({ method, authorization }) => method !== 'ANY' && authorization === 'NONE');

    expect(open).toEqual(
      openRoutes.map(({ method, path, function: folder }) => expect.objectContaining({ method, path, folder })),
    );
    expect(open.every(({ path }) => path.startsWith('/webhooks/'))).toBe(true);
  });

  it('refuses every other method of a path by a function that does nothing else', () => {
    const refused = methods.filter(({ method }) => method === 'ANY');

    expect(refused.map(({ path }) => path).toSorted()).toEqual(
      [...new Set([...routes, ...openRoutes].map(({ path }) => path))].toSorted(),
    );
    for (const refusal of refused) {
      expect(refusal).toMatchObject({ authorization: 'NONE', folder: 'api/refuse-method' });
    }
  });

  it('asks the authorizer about a token once in five minutes', () => {
    expect(only('AWS::ApiGateway::Authorizer')).toMatchObject({
      Type: 'TOKEN',
      IdentitySource: 'method.request.header.Authorization',
      AuthorizerResultTtlInSeconds: 300,
    });
  });

  it('throttles the whole API, and each POST more strictly', () => {
    const throttles = Object.fromEntries(
      stage.MethodSettings.map((setting: { HttpMethod: string; ResourcePath: string; ThrottlingRateLimit: number }) => [
        `${setting.HttpMethod} ${setting.ResourcePath.replace(/^\//, '').replaceAll('~1', '/')}`,
        setting.ThrottlingRateLimit,
      ]),
    );

    expect(throttles).toEqual({
      '* *': 200,
      ...Object.fromEntries(
        routes.filter(({ method }) => method === 'POST').map(({ method, path }) => [`${method} ${path}`, 50]),
      ),
    });
  });

  it('logs the resource of each request and never its path', () => {
    const format = stage.AccessLogSetting.Format as string;

    expect(JSON.parse(format)).toMatchObject({
      resourcePath: '$context.resourcePath',
      requestId: '$context.requestId',
    });
    expect(format).not.toMatch(/\$context\.(path|identity|customDomain|domain|authorizer\.principalId)/);
  });

  it('keeps paths out of execution logs and traces', () => {
    expect(stage.MethodSettings[0]).toMatchObject({ LoggingLevel: 'OFF', DataTraceEnabled: false });
    expect(stage.TracingEnabled).not.toBe(true);
  });
});

describe('a response that the gateway creates itself', () => {
  it.each([
    ['UNAUTHORIZED', '401', 'UNAUTHORIZED'],
    ['ACCESS_DENIED', '403', 'FORBIDDEN'],
    ['WAF_FILTERED', '403', 'FORBIDDEN'],
    ['MISSING_AUTHENTICATION_TOKEN', '404', 'NOT_FOUND'],
    ['REQUEST_TOO_LARGE', '413', 'BODY_TOO_LARGE'],
    ['UNSUPPORTED_MEDIA_TYPE', '415', 'UNSUPPORTED_MEDIA_TYPE'],
    ['THROTTLED', '429', 'TOO_MANY_REQUESTS'],
    ['AUTHORIZER_CONFIGURATION_ERROR', '500', 'INTERNAL_ERROR'],
    ['AUTHORIZER_FAILURE', '503', 'SERVICE_UNAVAILABLE'],
    ['INTEGRATION_FAILURE', '503', 'SERVICE_UNAVAILABLE'],
    ['INTEGRATION_TIMEOUT', '503', 'SERVICE_UNAVAILABLE'],
    ['DEFAULT_4XX', '400', 'INVALID_REQUEST'],
    ['DEFAULT_5XX', '503', 'SERVICE_UNAVAILABLE'],
  ] as const)('for %s is a problem with status %s and code %s', (type, status, code) => {
    const answer = answers[type];

    expect(answer?.status).toBe(status);
    expect(answer?.headers['gatewayresponse.header.Content-Type']).toBe("'application/problem+json'");
    expect(answer?.body).toEqual({
      type: expect.stringMatching(/^urn:tillflow:problem:/),
      title: problems[code].title,
      status: Number(status),
      detail: expect.any(String),
      instance: '$context.resourcePath',
      code,
      retryable: 'retryable' in problems[code],
      requestId: '$context.requestId',
    });
  });

  it('says when to retry and how to authenticate', () => {
    expect(answers['THROTTLED']?.headers['gatewayresponse.header.Retry-After']).toBe("'1'");
    expect(answers['UNAUTHORIZED']?.headers['gatewayresponse.header.WWW-Authenticate']).toBe("'Bearer'");
  });
});

function pathOf(resourceId: Readonly<Record<string, unknown>>): string {
  const resource = resources('AWS::ApiGateway::Resource')[String(resourceId['Ref'])];
  return resource === undefined ? '' : `${pathOf(resource.Properties.ParentId)}/${resource.Properties.PathPart}`;
}

function folderOf(uri: unknown): string | undefined {
  const functionId = /functions\/<(.+)\.Arn>\/invocations$/.exec(text(uri))?.[1] ?? '';
  const name = resources('AWS::Lambda::Function')[functionId]?.Properties.FunctionName as string;
  return Object.entries(functions).find(([candidate]) => name === `tillflow-production-${candidate}`)?.[1].folder;
}
