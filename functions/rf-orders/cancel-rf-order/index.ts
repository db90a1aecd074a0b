/** Lambda entry of cancel-rf-order: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { environmentVariable } from '../../../shared/aws.ts';
import { documentClient } from '../../../shared/document-client.ts';
import { createEndpointHandler } from '../../../shared/endpoint.ts';
import { createPayments } from '../../../shared/payments.ts';
import { platformFromEnvironment } from '../../../shared/platform/from-environment.ts';
import { createTokens } from '../../../shared/tokens.ts';
import { cancelRfOrder } from './endpoint.ts';

const client = documentClient();
const logger = new Logger();

export const handler = createEndpointHandler(
  cancelRfOrder,
  {
    payments: createPayments(client, environmentVariable('PAYMENTS_TABLE')),
    platformFor: platformFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE'))),
    onFault: ({ code, context }) => logger.error('an order could not be cancelled yet', { code, ...context }),
    now: Date.now,
  },
  { logger, metrics: new Metrics() },
);
