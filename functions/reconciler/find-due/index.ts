/** Lambda entry of reconcile: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createNudge } from '../../../shared/aws/wake.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { createPayments } from '../../../shared/payments/store.ts';
import { reconcile } from './step.ts';

const lambda = new LambdaClient(awsClient);

export const handler = createStepHandler(
  reconcile,
  {
    payments: createPayments(documentClient(), environmentVariable('PAYMENTS_TABLE')),
    lookAgain: createNudge(lambda, environmentVariable('LOOK_AGAIN_FUNCTION')),
    readDays: createNudge(lambda, environmentVariable('READ_DAYS_FUNCTION')),
    actOnWebhook: createNudge(lambda, environmentVariable('ACT_ON_WEBHOOK_FUNCTION')),
    deliverAnnouncement: createNudge(lambda, environmentVariable('DELIVER_ANNOUNCEMENT_FUNCTION')),
  },
  { logger: new Logger(), metrics: new Metrics() },
);
