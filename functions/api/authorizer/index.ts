/** Lambda entry of the authorizer: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { environmentVariable } from '../../../shared/aws.ts';
import { createAuthorizerHandler } from './authorizer.ts';
import { createVerifyToken } from './verify.ts';

export const handler = createAuthorizerHandler(
  createVerifyToken({
    issuer: environmentVariable('OIDC_ISSUER'),
    audience: environmentVariable('OIDC_AUDIENCE') || undefined,
  }),
  new Logger(),
);
