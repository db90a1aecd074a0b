/** Lambda entry of await-capture: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { createCompleteTask } from '../../../shared/flow/tasks.ts';
import { createPayments } from '../../../shared/payments/store.ts';
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
