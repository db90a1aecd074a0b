/** Lambda entry of request-capture: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createCompleteTask } from '../../../shared/flow/tasks.ts';
import { createPayments } from '../../../shared/payments/store.ts';
import { requestCapture } from './endpoint.ts';

export const handler = createEndpointHandler(
  requestCapture,
  {
    payments: createPayments(documentClient(), environmentVariable('PAYMENTS_TABLE')),
    completeTask: createCompleteTask(new SFNClient(awsClient)),
    stackId: environmentVariable('STACK_ID'),
    now: Date.now,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
