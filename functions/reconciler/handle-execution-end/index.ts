/** Lambda entry of handle-execution-end: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createWake } from '../../../shared/aws/wake.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { createPayments } from '../../../shared/payments/store.ts';
import { publishFromEnvironment } from '../../../shared/reconciliation/from-environment.ts';
import { handleExecutionEnd } from './step.ts';

const logger = new Logger();
const metrics = new Metrics();
const payments = createPayments(documentClient(), environmentVariable('PAYMENTS_TABLE'));

export const handler = createStepHandler(
  handleExecutionEnd,
  {
    ...publishFromEnvironment(payments, logger, metrics),
    reconcileDue: createWake(new LambdaClient(awsClient), environmentVariable('RECONCILE_DUE_FUNCTION')),
  },
  { logger, metrics },
);
