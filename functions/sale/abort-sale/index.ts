/** Lambda entry of abort-sale: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { awsClient, environmentVariable } from '../../../shared/aws.ts';
import { documentClient } from '../../../shared/document-client.ts';
import { createEndpointHandler } from '../../../shared/endpoint.ts';
import { createPayments } from '../../../shared/payments.ts';
import { createRetryTask } from '../../../shared/tasks.ts';
import { abortSale } from './endpoint.ts';

export const handler = createEndpointHandler(
  abortSale,
  {
    payments: createPayments(documentClient(), environmentVariable('PAYMENTS_TABLE')),
    retryTask: createRetryTask(new SFNClient(awsClient)),
    now: Date.now,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
