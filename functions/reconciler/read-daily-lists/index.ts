/** Lambda entry of read-daily-lists: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { environmentVariable } from '../../../shared/aws/environment.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { createTokens } from '../../../shared/tokens/store.ts';
import { vivaFromEnvironment } from '../../../shared/viva/from-environment.ts';
import { readDailyListsStep } from './step.ts';

const client = documentClient();
const logger = new Logger();
const metrics = new Metrics();

export const handler = createStepHandler(
  readDailyListsStep,
  {
    payments: paymentsFromEnvironment(client),
    vivaFor: vivaFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE'))),
    onFinding: ({ reason, transactionId }) => {
      logger.error('A payment at the platform needs review.', { reason, transactionId });
      metrics.addMetric('NeedsReview', MetricUnit.Count, 1);
    },
    onDayTooLarge: (merchantId, day) => {
      logger.error('The list of a day is too long for one answer and was not read.', { merchantId, day });
      metrics.addMetric('DayTooLarge', MetricUnit.Count, 1);
    },
    onError: (code) => logger.warn('An account could not be read and stays due.', { code }),
    now: Date.now,
  },
  { logger, metrics },
);
