/** Lambda entry of abort-sale: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createRetryTask } from '../../../shared/flow/tasks.ts';
import { createPayments } from '../../../shared/payments/store.ts';
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
