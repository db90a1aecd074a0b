/** Lambda entry of act-on-webhook: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { documentClient, environmentVariable } from '../../../shared/aws.ts';
import { createPayments } from '../../../shared/payments.ts';
import { platformFromEnvironment } from '../../../shared/platform/from-environment.ts';
import { settleCharge } from '../../../shared/settlement/charge.ts';
import { settleRfOrder } from '../../../shared/settlement/rf.ts';
import { settleSale } from '../../../shared/settlement/sale.ts';
import { createStepHandler } from '../../../shared/step.ts';
import { createCompleteTask, createRetryTask } from '../../../shared/tasks.ts';
import { createTokens } from '../../../shared/tokens.ts';
import { actOnWebhook } from './step.ts';

const client = documentClient();
const platformFor = platformFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE')));
const deps = { payments: createPayments(client, environmentVariable('PAYMENTS_TABLE')), platformFor, now: Date.now };
const states = new SFNClient({});
const logger = new Logger();
const metrics = new Metrics();

export const handler = createStepHandler(
  actOnWebhook,
  {
    ...deps,
    settleRfOrder: (id, remainingMs) => settleRfOrder(id, { ...deps, remainingMs }),
    settleSale: (id, remainingMs) => settleSale(id, { ...deps, remainingMs }),
    settleCharge: (id, remainingMs) => settleCharge(id, { ...deps, remainingMs }),
    completeTask: createCompleteTask(states),
    retryTask: createRetryTask(states),
    count: (metric) => metrics.addMetric(metric, MetricUnit.Count, 1),
    onError: (code) => logger.warn('the platform could not be asked', { code }),
  },
  { logger, metrics },
);
