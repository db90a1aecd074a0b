/** Lambda entry of create-transaction: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { environmentVariable } from '../../../shared/aws/environment.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { createTokens } from '../../../shared/tokens/store.ts';
import { vivaFromEnvironment } from '../../../shared/viva/from-environment.ts';
import { createTransaction } from './step.ts';

const client = documentClient();
const tokens = createTokens(client, environmentVariable('TOKENS_TABLE'));

export const handler = createStepHandler(
  createTransaction,
  {
    payments: paymentsFromEnvironment(client),
    tokens,
    vivaFor: vivaFromEnvironment(tokens),
    now: Date.now,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
