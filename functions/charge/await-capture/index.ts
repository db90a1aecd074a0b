/** Lambda entry of await-capture: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient } from '../../../shared/aws/environment.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { createCompleteTask } from '../../../shared/flow/tasks.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { awaitCapture } from './step.ts';

const client = documentClient();

export const handler = createStepHandler(
  awaitCapture,
  {
    payments: paymentsFromEnvironment(client),
    completeTask: createCompleteTask(new SFNClient(awsClient)),
  },
  { logger: new Logger(), metrics: new Metrics() },
);
