/** Lambda entry of forget-card: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { environmentVariable } from '../../../shared/aws.ts';
import { documentClient } from '../../../shared/document-client.ts';
import { createEndpointHandler } from '../../../shared/endpoint.ts';
import { createPayments } from '../../../shared/payments.ts';
import { createTokens } from '../../../shared/tokens.ts';
import { forgetCard } from './endpoint.ts';

const client = documentClient();

export const handler = createEndpointHandler(
  forgetCard,
  {
    payments: createPayments(client, environmentVariable('PAYMENTS_TABLE')),
    tokens: createTokens(client, environmentVariable('TOKENS_TABLE')),
  },
  { logger: new Logger(), metrics: new Metrics() },
);
