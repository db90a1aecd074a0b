/** Lambda entry of act-on-webhook: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { createCompleteTask, createRetryTask } from '../../../shared/flow/tasks.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { publishFromEnvironment } from '../../../shared/reconciliation/from-environment.ts';
import { createTokens } from '../../../shared/tokens/store.ts';
import { platformFromEnvironment } from '../../../shared/viva/from-environment.ts';
import { createReconcile } from './reconcile.ts';
import { actOnWebhook } from './step.ts';

const client = documentClient();
const platformFor = platformFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE')));
const deps = { payments: paymentsFromEnvironment(client), platformFor, now: Date.now };
const states = new SFNClient(awsClient);
const logger = new Logger();
const metrics = new Metrics();

export const handler = createStepHandler(
  actOnWebhook,
  {
    ...deps,
    ...createReconcile(deps, publishFromEnvironment(deps.payments, logger, metrics), (error) =>
      logger.warn('event not published yet', { error: error instanceof Error ? error.name : undefined }),
    ),
    completeTask: createCompleteTask(states),
    retryTask: createRetryTask(states),
    count: (metric) => metrics.addMetric(metric, MetricUnit.Count, 1),
    onError: (code) => logger.warn('the platform could not be asked', { code }),
  },
  { logger, metrics },
);
