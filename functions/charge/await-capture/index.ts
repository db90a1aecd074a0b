/** Lambda entry of await-capture: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { awsClient, environmentVariable } from '../../../shared/aws.ts';
import { documentClient } from '../../../shared/document-client.ts';
import { createPayments } from '../../../shared/payments.ts';
import { createStepHandler } from '../../../shared/step.ts';
import { createCompleteTask } from '../../../shared/tasks.ts';
import { awaitCapture } from './step.ts';

const client = documentClient();

export const handler = createStepHandler(
  awaitCapture,
  {
    payments: createPayments(client, environmentVariable('PAYMENTS_TABLE')),
    completeTask: createCompleteTask(new SFNClient(awsClient)),
  },
  { logger: new Logger(), metrics: new Metrics() },
);
