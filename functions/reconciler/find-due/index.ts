/** Lambda entry of find-due: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createWake } from '../../../shared/aws/wake.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { createPayments } from '../../../shared/payments/store.ts';
import { findDue } from './step.ts';

const lambda = new LambdaClient(awsClient);

export const handler = createStepHandler(
  findDue,
  {
    payments: createPayments(documentClient(), environmentVariable('PAYMENTS_TABLE')),
    reconcileDue: createWake(lambda, environmentVariable('RECONCILE_DUE_FUNCTION')),
    readDailyLists: createWake(lambda, environmentVariable('READ_DAILY_LISTS_FUNCTION')),
    actOnWebhook: createWake(lambda, environmentVariable('ACT_ON_WEBHOOK_FUNCTION')),
    deliverEvent: createWake(lambda, environmentVariable('DELIVER_EVENT_FUNCTION')),
  },
  { logger: new Logger(), metrics: new Metrics() },
);
