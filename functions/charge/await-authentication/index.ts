/** Lambda entry of await-authentication: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { awaitAuthentication } from './step.ts';

const client = documentClient();

export const handler = createStepHandler(
  awaitAuthentication,
  {
    payments: paymentsFromEnvironment(client),
    now: Date.now,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
