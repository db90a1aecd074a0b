/** Lambda entry of find-due: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createWake } from '../../../shared/aws/wake.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { findDue } from './step.ts';

const lambda = new LambdaClient(awsClient);

export const handler = createStepHandler(
  findDue,
  {
    payments: paymentsFromEnvironment(),
    reconcileDue: createWake(lambda, environmentVariable('RECONCILE_DUE_FUNCTION')),
    readDailyLists: createWake(lambda, environmentVariable('READ_DAILY_LISTS_FUNCTION')),
    actOnWebhook: createWake(lambda, environmentVariable('ACT_ON_WEBHOOK_FUNCTION')),
    deliverEvent: createWake(lambda, environmentVariable('DELIVER_EVENT_FUNCTION')),
  },
  { logger: new Logger(), metrics: new Metrics() },
);
