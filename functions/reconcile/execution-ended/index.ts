/** Lambda entry of execution-ended: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { awsClient, environmentVariable } from '../../../shared/aws.ts';
import { documentClient } from '../../../shared/document-client.ts';
import { createNudge } from '../../../shared/nudge.ts';
import { createPayments } from '../../../shared/payments.ts';
import { publishFromEnvironment } from '../../../shared/reconciliation/from-environment.ts';
import { createStepHandler } from '../../../shared/step.ts';
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
