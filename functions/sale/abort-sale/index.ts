/** Lambda entry of abort-sale: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { awsClient } from '../../../shared/aws/environment.ts';
import { createRetryTask } from '../../../shared/flow/tasks.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { abortSale } from './endpoint.ts';

export const handler = createEndpointHandler(
  abortSale,
  {
    payments: paymentsFromEnvironment(),
    retryTask: createRetryTask(new SFNClient(awsClient)),
    now: Date.now,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
