/** Lambda entry of forget-card: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { environmentVariable } from '../../../shared/aws/environment.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { createTokens } from '../../../shared/tokens/store.ts';
import { forgetCard } from './endpoint.ts';

const client = documentClient();

export const handler = createEndpointHandler(
  forgetCard,
  {
    payments: paymentsFromEnvironment(client),
    tokens: createTokens(client, environmentVariable('TOKENS_TABLE')),
  },
  { logger: new Logger(), metrics: new Metrics() },
);
