/** Lambda entry of request-capture: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { awsClient, environmentVariable } from '../../../shared/aws.ts';
import { documentClient } from '../../../shared/document-client.ts';
import { createEndpointHandler } from '../../../shared/endpoint.ts';
import { createPayments } from '../../../shared/payments.ts';
import { createCompleteTask } from '../../../shared/tasks.ts';
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
