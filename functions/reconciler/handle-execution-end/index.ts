/** Lambda entry of execution-ended: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createNudge } from '../../../shared/aws/wake.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { createPayments } from '../../../shared/payments/store.ts';
import { publishFromEnvironment } from '../../../shared/reconciliation/from-environment.ts';
import { executionEnded } from './step.ts';

const logger = new Logger();
const metrics = new Metrics();
const payments = createPayments(documentClient(), environmentVariable('PAYMENTS_TABLE'));

export const handler = createStepHandler(
  executionEnded,
  {
    ...publishFromEnvironment(payments, logger, metrics),
    lookAgain: createNudge(new LambdaClient(awsClient), environmentVariable('LOOK_AGAIN_FUNCTION')),
  },
  { logger, metrics },
);
