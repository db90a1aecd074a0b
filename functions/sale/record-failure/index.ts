/** Lambda entry of record-failure: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { environmentVariable } from '../../../shared/aws/environment.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { createPayments } from '../../../shared/payments/store.ts';
import { recordFailure } from './step.ts';

const client = documentClient();

export const handler = createStepHandler(
  recordFailure,
  {
    payments: createPayments(client, environmentVariable('PAYMENTS_TABLE')),
    now: Date.now,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
