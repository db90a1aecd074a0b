/**
 * Decides who may call which method, by a JWT of the storefront's issuer. The gateway caches the answer for five
 * minutes. Endpoints check whose merchants' resources a caller may see.
 */
import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type {
  APIGatewayAuthorizerResult,
  APIGatewayRequestAuthorizerEvent,
  APIGatewayTokenAuthorizerEvent,
  Context,
} from 'aws-lambda';
import { grantOf } from './grant.ts';
import type { VerifyToken } from './verify.ts';

export type AuthorizerEvent = APIGatewayTokenAuthorizerEvent | APIGatewayRequestAuthorizerEvent;

const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;

export function createAuthorizerHandler(verify: VerifyToken, logger: Logger) {
  return middy<AuthorizerEvent, APIGatewayAuthorizerResult, Error, Context>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .handler((event) => authorize(event, verify));
}

export async function authorize(event: AuthorizerEvent, verify: VerifyToken): Promise<APIGatewayAuthorizerResult> {
  const token = BEARER.exec(authorizationOf(event) ?? '')?.[1];
  const claims = token === undefined ? undefined : await verify(token);
  const grant = claims && grantOf(claims, event.methodArn);
  if (grant === undefined) {
    throw new Error('Unauthorized'); // exactly this text makes the gateway answer 401
  }
  return grant;
}

function authorizationOf(event: AuthorizerEvent): string | undefined {
  if (event.type === 'TOKEN') {
    return event.authorizationToken;
  }
  return Object.entries(event.headers ?? {}).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
}
