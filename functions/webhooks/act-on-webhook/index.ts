/** Lambda entry of act-on-webhook: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { publish } from '../../../shared/events/publish.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { createCompleteTask, createRetryTask } from '../../../shared/flow/tasks.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { publishFromEnvironment } from '../../../shared/reconciliation/from-environment.ts';
import { createTokens } from '../../../shared/tokens/store.ts';
import { vivaFromEnvironment } from '../../../shared/viva/from-environment.ts';
import { actOnWebhook } from './step.ts';

const client = documentClient();
const payments = paymentsFromEnvironment(client);
const states = new SFNClient(awsClient);
const logger = new Logger();
const metrics = new Metrics();
const publishing = publishFromEnvironment(payments, logger, metrics);

export const handler = createStepHandler(
  actOnWebhook,
  {
    payments,
    vivaFor: vivaFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE'))),
    publish: (kind, id) =>
      publish(kind, id, publishing).catch((error: unknown) =>
        logger.warn('An event was not published yet.', { error: error instanceof Error ? error.name : undefined }),
      ),
    completeTask: createCompleteTask(states),
    retryTask: createRetryTask(states),
    count: (metric) => metrics.addMetric(metric, MetricUnit.Count, 1),
    onError: (code) => logger.warn('The platform could not be read.', { code }),
    now: Date.now,
  },
  { logger, metrics },
);
