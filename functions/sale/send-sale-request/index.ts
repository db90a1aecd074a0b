/** Lambda entry of send-sale-request: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { environmentVariable } from '../../../shared/aws.ts';
import { documentClient } from '../../../shared/document-client.ts';
import { createPayments } from '../../../shared/payments.ts';
import { platformFromEnvironment } from '../../../shared/platform/from-environment.ts';
import { createStepHandler } from '../../../shared/step.ts';
import { createTokens } from '../../../shared/tokens.ts';
import { sendSaleRequest } from './step.ts';

const client = documentClient();
const tokens = createTokens(client, environmentVariable('TOKENS_TABLE'));

export const handler = createStepHandler(
  sendSaleRequest,
  {
    payments: createPayments(client, environmentVariable('PAYMENTS_TABLE')),
    platformFor: platformFromEnvironment(tokens),
    now: Date.now,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
