/** Lambda entry of handle-execution-end: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createWake } from '../../../shared/aws/wake.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { publishFromEnvironment } from '../../../shared/reconciliation/from-environment.ts';
import { handleExecutionEnd } from './step.ts';

const logger = new Logger();
const metrics = new Metrics();
const payments = paymentsFromEnvironment();

export const handler = createStepHandler(
  handleExecutionEnd,
  {
    ...publishFromEnvironment(payments, logger, metrics),
    reconcileDue: createWake(new LambdaClient(awsClient), environmentVariable('RECONCILE_DUE_FUNCTION')),
  },
  { logger, metrics },
);
