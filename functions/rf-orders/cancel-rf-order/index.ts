/** Lambda entry of cancel-rf-order: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { environmentVariable } from '../../../shared/aws/environment.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { createTokens } from '../../../shared/tokens/store.ts';
import { vivaFromEnvironment } from '../../../shared/viva/from-environment.ts';
import { cancelRfOrder } from './endpoint.ts';

const client = documentClient();
const logger = new Logger();

export const handler = createEndpointHandler(
  cancelRfOrder,
  {
    payments: paymentsFromEnvironment(client),
    vivaFor: vivaFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE'))),
    onFault: ({ code, context }) => logger.error('An RF order could not be cancelled yet.', { code, ...context }),
    now: Date.now,
  },
  { logger, metrics: new Metrics() },
);
