/** Lambda entry of read-days: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { environmentVariable } from '../../../shared/aws.ts';
import { documentClient } from '../../../shared/document-client.ts';
import { createPayments } from '../../../shared/payments.ts';
import { platformFromEnvironment } from '../../../shared/platform/from-environment.ts';
import { createStepHandler } from '../../../shared/step.ts';
import { createTokens } from '../../../shared/tokens.ts';
import { readMerchantDays } from './step.ts';

const client = documentClient();
const logger = new Logger();
const metrics = new Metrics();

export const handler = createStepHandler(
  readMerchantDays,
  {
    payments: createPayments(client, environmentVariable('PAYMENTS_TABLE')),
    platformFor: platformFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE'))),
    onFinding: ({ reason, transactionId }) => {
      logger.error('a payment at the platform has no place in our books', { reason, transactionId });
      metrics.addMetric('NeedsReview', MetricUnit.Count, 1);
    },
    onDayTooLarge: (merchantId, day) => {
      logger.error('the list of a day is too long for one answer and was not read', { merchantId, day });
      metrics.addMetric('DayTooLarge', MetricUnit.Count, 1);
    },
    onError: (code) => logger.warn('not read, and stays due', { code }),
    now: Date.now,
  },
  { logger, metrics },
);
