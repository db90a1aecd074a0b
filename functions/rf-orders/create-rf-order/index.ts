/** Lambda entry of create-rf-order: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { environmentVariable } from '../../../shared/aws/environment.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { createTokens } from '../../../shared/tokens/store.ts';
import { platformFromEnvironment } from '../../../shared/viva/from-environment.ts';
import { createRfOrder } from './endpoint.ts';

const client = documentClient();

export const handler = createEndpointHandler(
  createRfOrder,
  {
    payments: paymentsFromEnvironment(client),
    platformFor: platformFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE'))),
    stackId: environmentVariable('STACK_ID'),
    now: Date.now,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
