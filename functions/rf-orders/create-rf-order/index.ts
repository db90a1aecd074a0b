/** Lambda entry of create-rf-order: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { environmentVariable } from '../../../shared/aws/environment.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { createTokens } from '../../../shared/tokens/store.ts';
import { vivaFromEnvironment } from '../../../shared/viva/from-environment.ts';
import { createRfOrder } from './endpoint.ts';

const client = documentClient();

export const handler = createEndpointHandler(
  createRfOrder,
  {
    payments: paymentsFromEnvironment(client),
    vivaFor: vivaFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE'))),
    stackId: environmentVariable('STACK_ID'),
    now: Date.now,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
