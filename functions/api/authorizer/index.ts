/** Lambda entry of the authorizer: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { createAuthorizerHandler } from './authorizer.ts';
import { createVerifyToken } from './verify.ts';

const { OIDC_ISSUER, OIDC_AUDIENCE } = process.env;
if (OIDC_ISSUER === undefined) {
  throw new Error('the environment variable OIDC_ISSUER is not set');
}

export const handler = createAuthorizerHandler(
  createVerifyToken({ issuer: OIDC_ISSUER, audience: OIDC_AUDIENCE || undefined }),
  new Logger(),
);
