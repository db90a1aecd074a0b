/** Lambda entry of act-on-webhook: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import type { AnnouncedKind } from '../../../shared/events/cloud-event.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { createCompleteTask, createRetryTask } from '../../../shared/flow/tasks.ts';
import { createPayments } from '../../../shared/payments/store.ts';
import { settleCharge } from '../../../shared/reconciliation/charge/reconcile.ts';
import { publishFromEnvironment } from '../../../shared/reconciliation/from-environment.ts';
import { publish } from '../../../shared/reconciliation/publish-item.ts';
import { settleRfOrder } from '../../../shared/reconciliation/rf-order/reconcile.ts';
import { settleSale } from '../../../shared/reconciliation/sale/reconcile.ts';
import { createTokens } from '../../../shared/tokens/store.ts';
import { platformFromEnvironment } from '../../../shared/viva/from-environment.ts';
import { actOnWebhook } from './step.ts';

const client = documentClient();
const platformFor = platformFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE')));
const deps = { payments: createPayments(client, environmentVariable('PAYMENTS_TABLE')), platformFor, now: Date.now };
const states = new SFNClient(awsClient);
const logger = new Logger();
const metrics = new Metrics();
const publishing = publishFromEnvironment(deps.payments, logger, metrics);

/** What was settled is told at once. If that fails it is due, and told by the reconciler. */
async function told<T>(kind: AnnouncedKind, id: string, settled: Promise<T>): Promise<T> {
  const item = await settled;
  await publish(kind, id, publishing).catch((error: unknown) => {
    logger.warn('not announced yet', { error: error instanceof Error ? error.name : undefined });
  });
  return item;
}

export const handler = createStepHandler(
  actOnWebhook,
  {
    ...deps,
    settleRfOrder: (id, remainingMs, hints) => told('rf', id, settleRfOrder(id, { ...deps, remainingMs }, hints)),
    settleSale: (id, remainingMs) => told('sale', id, settleSale(id, { ...deps, remainingMs })),
    settleCharge: (id, remainingMs) => told('charge', id, settleCharge(id, { ...deps, remainingMs })),
    completeTask: createCompleteTask(states),
    retryTask: createRetryTask(states),
    count: (metric) => metrics.addMetric(metric, MetricUnit.Count, 1),
    onError: (code) => logger.warn('the platform could not be asked', { code }),
  },
  { logger, metrics },
);
