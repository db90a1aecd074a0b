/**
 * The REST API as the template describes it. An unknown property makes loading fail with its name, because a setting
 * that the cloud obeys and this gateway ignores would be found only in production.
 */
import * as z from 'zod';
import type { Stack } from '../template.ts';

const ofApi = { RestApiId: z.string() };

const restApi = z.strictObject({
  Name: z.string().optional(),
  Description: z.string().optional(),
  Policy: z.looseObject({ Statement: z.array(z.record(z.string(), z.unknown())) }).optional(),
  BinaryMediaTypes: z.array(z.string()).default([]),
  MinimumCompressionSize: z.number().optional(),
  EndpointConfiguration: z.looseObject({}).optional(),
  DisableExecuteApiEndpoint: z.boolean().optional(),
  FailOnWarnings: z.boolean().optional(),
  Tags: z.array(z.unknown()).optional(),
});

const resource = z.strictObject({ ...ofApi, ParentId: z.string(), PathPart: z.string() });

const method = z.strictObject({
  ...ofApi,
  ResourceId: z.string(),
  HttpMethod: z.string(),
  AuthorizationType: z.enum(['NONE', 'CUSTOM']).default('NONE'),
  AuthorizerId: z.string().optional(),
  ApiKeyRequired: z.literal(false).optional(),
  OperationName: z.string().optional(),
  Integration: z.strictObject({
    Type: z.literal('AWS_PROXY'),
    IntegrationHttpMethod: z.literal('POST'),
    Uri: z.string().transform(functionOf),
    TimeoutInMillis: z.int().min(50).max(29_000).default(29_000),
  }),
  /** For example `method.request.querystring.limit`, and whether it is required. */
  RequestParameters: z.record(z.string(), z.boolean()).default({}),
  /** Names of models by media type. */
  RequestModels: z.record(z.string(), z.string()).default({}),
  RequestValidatorId: z.string().optional(),
  MethodResponses: z.array(z.unknown()).optional(),
});

const identitySource = z.string().regex(/^(method\.request\.(header|querystring)|stageVariables)\.[\w-]+$/);

const authorizer = z
  .strictObject({
    ...ofApi,
    Name: z.string(),
    Type: z.enum(['TOKEN', 'REQUEST']),
    AuthorizerUri: z.string().transform(functionOf),
    IdentitySource: z
      .string()
      .default('')
      .transform((sources) => sources.split(',').filter(Boolean))
      .pipe(z.array(identitySource)),
    IdentityValidationExpression: z.string().optional(),
    AuthorizerResultTtlInSeconds: z.int().min(0).max(3600).default(300),
  })
  .refine(
    ({ IdentitySource, AuthorizerResultTtlInSeconds }) =>
      IdentitySource.length > 0 || AuthorizerResultTtlInSeconds === 0,
    'an answer can only be kept by an IdentitySource',
  );

const gatewayResponse = z.strictObject({
  ...ofApi,
  ResponseType: z.string(),
  StatusCode: z.coerce.number().int().optional(),
  ResponseParameters: z.record(z.string(), z.string()).default({}),
  ResponseTemplates: z.record(z.string(), z.string()).default({}),
});

const requestValidator = z.strictObject({
  ...ofApi,
  Name: z.string().optional(),
  ValidateRequestBody: z.boolean().default(false),
  ValidateRequestParameters: z.boolean().default(false),
});

const model = z.strictObject({
  ...ofApi,
  Name: z.string().optional(),
  Description: z.string().optional(),
  ContentType: z.string().optional(),
  Schema: z.record(z.string(), z.unknown()),
});

const methodSetting = z.strictObject({
  HttpMethod: z.string(),
  ResourcePath: z.string().transform((path) => (path === '/*' ? '*' : path.slice(1).replaceAll('~1', '/'))),
  ThrottlingRateLimit: z.number().optional(),
  ThrottlingBurstLimit: z.number().optional(),
  DataTraceEnabled: z.literal(false).optional(),
  LoggingLevel: z.string().optional(),
  MetricsEnabled: z.boolean().optional(),
  CachingEnabled: z.literal(false).optional(),
});

const stage = z.strictObject({
  ...ofApi,
  StageName: z.string(),
  DeploymentId: z.string().optional(),
  Description: z.string().optional(),
  AccessLogSetting: z.strictObject({ DestinationArn: z.string(), Format: z.string() }).optional(),
  MethodSettings: z.array(methodSetting).default([]),
  Variables: z.record(z.string(), z.string()).optional(),
  TracingEnabled: z.boolean().optional(),
  CacheClusterEnabled: z.literal(false).optional(),
  Tags: z.array(z.unknown()).optional(),
});

export type Method = z.output<typeof method>;
export type Authorizer = z.output<typeof authorizer> & { readonly id: string };
export type GatewayResponse = z.output<typeof gatewayResponse>;
export type MethodSetting = z.output<typeof methodSetting>;
type RequestValidator = z.output<typeof requestValidator>;

export interface ApiResource {
  readonly id: string;
  readonly parentId: string;
  readonly pathPart: string;
}

export interface Api {
  readonly id: string;
  readonly rootResourceId: string;
  readonly region: string;
  readonly account: string;
  readonly policy: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly binaryMediaTypes: readonly string[];
  readonly resources: readonly ApiResource[];
  readonly methods: readonly Method[];
  /** By the id that methods refer to. */
  readonly authorizers: ReadonlyMap<string, Authorizer>;
  readonly validators: ReadonlyMap<string, RequestValidator>;
  /** JSON schemas by model name. */
  readonly models: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly responses: readonly GatewayResponse[];
  readonly stage: z.output<typeof stage>;
}

export type ApiStack = Pick<Stack, 'ofType' | 'ref' | 'attribute' | 'region' | 'account'>;

export function readApi(stack: ApiStack): Api {
  const all = <T extends z.ZodType>(type: string, schema: T) =>
    [...stack.ofType(`AWS::ApiGateway::${type}`)].map(([logicalId, { properties }]) => {
      const parsed = schema.safeParse(properties);
      if (!parsed.success) {
        throw new Error(`the local gateway cannot run ${type} ${logicalId}: ${z.prettifyError(parsed.error)}`);
      }
      return { logicalId, id: stack.ref(logicalId), properties: parsed.data };
    });
  const api = only('RestApi', all('RestApi', restApi));
  return {
    id: api.id,
    rootResourceId: stack.attribute(api.logicalId, 'RootResourceId'),
    region: stack.region,
    account: stack.account,
    policy: api.properties.Policy?.Statement,
    binaryMediaTypes: api.properties.BinaryMediaTypes,
    resources: all('Resource', resource).map(({ id, properties: { ParentId: parentId, PathPart: pathPart } }) => ({
      id,
      parentId,
      pathPart,
    })),
    methods: all('Method', method).map(({ properties }) => properties),
    authorizers: new Map(all('Authorizer', authorizer).map(({ id, properties }) => [id, { id, ...properties }])),
    validators: new Map(all('RequestValidator', requestValidator).map(({ id, properties }) => [id, properties])),
    models: new Map(all('Model', model).map(({ id, properties }) => [id, properties.Schema])),
    responses: all('GatewayResponse', gatewayResponse).map(({ properties }) => properties),
    stage: only('Stage', all('Stage', stage)).properties,
  };
}

function only<T>(type: string, found: readonly T[]): T {
  const [first, ...others] = found;
  if (first === undefined || others.length > 0) {
    throw new Error(`the local gateway runs one ${type}, and the template has ${found.length}`);
  }
  return first;
}

function functionOf(uri: string, context: z.RefinementCtx): string {
  const arn = /:path\/2015-03-31\/functions\/(.+)\/invocations$/.exec(uri)?.[1];
  if (arn === undefined) {
    context.addIssue({ code: 'custom', message: 'is not the invocation of a function' });
    return z.NEVER;
  }
  return arn;
}
