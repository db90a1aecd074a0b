/**
 * The storefront API: a REST API built from the tables of routes. Every route of a storefront has the authorizer in front
 * of it, every other method on its paths an honest 405, everything else an honest 404.
 *
 * Nothing here may keep a request's path, which can hold the token of a webhook. So the access log names the resource,
 * and execution logs and the stage's X-Ray segments, which hold the address, are off; traces begin in the functions.
 */
import { type CfnOutput, Duration } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  EndpointType,
  type IAuthorizer,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { openRoutes, routes } from '../../shared/api/routes.ts';
import { acknowledge } from '../acknowledge.ts';
import type { Environment } from '../environments.ts';
import { type EndpointName, endpointIn } from '../functions.ts';
import { AccessLog, accessLogLine } from './access-log.ts';
import { answerProblems } from './gateway-responses.ts';
import { resourcePolicy } from './resource-policy.ts';

export interface StorefrontApiProps {
  readonly environment: Environment;
  readonly functionOf: (endpoint: EndpointName) => LambdaFunction;
}

const STAGE = 'v1';
const paths = [...new Set([...routes, ...openRoutes].map(({ path }) => path))];

export class StorefrontApi extends Construct {
  readonly api: RestApi;

  constructor(scope: Construct, id: string, { environment, functionOf }: StorefrontApiProps) {
    super(scope, id);
    const { name, throttle } = environment;
    const accessLog = new AccessLog(this, 'AccessLog', environment);
    this.api = new RestApi(this, 'Api', {
      restApiName: `tillflow-${name}`,
      description: 'The storefront API of tillflow',
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: false,
      policy: resourcePolicy(environment, STAGE),
      // As bytes: as text, whatever is no UTF-8 would be replaced before a function sees it, and two bodies look like one.
      binaryMediaTypes: ['*/*'],
      deployOptions: {
        stageName: STAGE,
        accessLogDestination: new LogGroupLogDestination(accessLog.logGroup),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogLine)),
        loggingLevel: MethodLoggingLevel.OFF,
        dataTraceEnabled: false,
        metricsEnabled: true,
        throttlingRateLimit: throttle.api.rate,
        throttlingBurstLimit: throttle.api.burst,
        methodOptions: Object.fromEntries(
          routes
            .filter(({ method }) => method === 'POST')
            .map(({ path }) => [
              `${path}/POST`,
              { throttlingRateLimit: throttle.post.rate, throttlingBurstLimit: throttle.post.burst },
            ]),
        ),
      },
    });
    this.api.deploymentStage.node.addDependency(accessLog.account);
    // The CDK's own output, under the name the others have.
    (this.api.node.findChild('Endpoint') as CfnOutput).overrideLogicalId('ApiUrl');
    answerProblems(this.api);
    const authorizer = new TokenAuthorizer(this, 'Authorizer', {
      handler: functionOf('authorizer'),
      resultsCacheTtl: Duration.minutes(5),
    });
    this.#addRoutes(authorizer, functionOf);
    this.#acknowledge();
  }

  #addRoutes(authorizer: IAuthorizer, functionOf: StorefrontApiProps['functionOf']): void {
    for (const { method, path, function: folder } of routes) {
      this.api.root.resourceForPath(path).addMethod(method, integration(functionOf(endpointIn(folder))), {
        authorizationType: AuthorizationType.CUSTOM,
        authorizer,
      });
    }
    for (const { method, path, function: folder } of openRoutes) {
      const open = this.api.root.resourceForPath(path).addMethod(method, integration(functionOf(endpointIn(folder))), {
        authorizationType: AuthorizationType.NONE,
      });
      acknowledge(open, 'AwsSolutions-APIG4', 'Its caller has no access token: the path itself is the secret.');
    }
    const refuse = integration(functionOf('refuse-method'));
    for (const path of paths) {
      const refusal = this.api.root
        .resourceForPath(path)
        .addMethod('ANY', refuse, { authorizationType: AuthorizationType.NONE });
      acknowledge(refusal, 'AwsSolutions-APIG4', 'Only says which methods the path has: 405 with Allow, to anyone.');
    }
  }

  #acknowledge(): void {
    acknowledge(
      this.api,
      'AwsSolutions-APIG2',
      'Functions validate, strictly and before anything else, so that an answer can point to each field at fault.',
    );
    acknowledge(
      this.api,
      'AwsSolutions-APIG6',
      'Execution logs hold the path of each request, with its ids; the access log names the resource instead.',
    );
    acknowledge(
      this.api,
      'AwsSolutions-COG4',
      'Any OpenID Connect issuer may sign tokens, not only Cognito: a function authorizes.',
    );
  }
}

function integration(handler: LambdaFunction): LambdaIntegration {
  return new LambdaIntegration(handler, { allowTestInvoke: false });
}
