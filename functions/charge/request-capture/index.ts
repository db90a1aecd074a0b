/** Lambda entry of request-capture: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createCompleteTask } from '../../../shared/flow/tasks.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { requestCapture } from './endpoint.ts';

export const handler = createEndpointHandler(
  requestCapture,
  {
    payments: paymentsFromEnvironment(),
    completeTask: createCompleteTask(new SFNClient(awsClient)),
    stackId: environmentVariable('STACK_ID'),
    now: Date.now,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
