/** Creates the dependencies for reconciling items and publishing events from the environment of a function. */
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { documentClient } from '../aws/document-client.ts';
import { awsClient, environmentVariable } from '../aws/environment.ts';
import { createPutEvents } from '../events/event-bus.ts';
import type { PublishDeps } from '../events/publish.ts';
import { createExecutions, createStateOfExecution } from '../flow/executions.ts';
import type { FailureCode } from '../payments/failures.ts';
import { paymentsFromEnvironment } from '../payments/from-environment.ts';
import type { Payments } from '../payments/store.ts';
import { createTokens } from '../tokens/store.ts';
import { vivaFromEnvironment } from '../viva/from-environment.ts';
import type { ReconcileItemDeps } from './reconcile-item.ts';
import { reconcileRfOrder } from './rf-order/reconcile.ts';

/** Failures that need a review although their status is not `needs_review`. */
const FAILURES_TO_REVIEW: readonly FailureCode[] = ['RF_CODE_INVALID', 'SALE_PAID_LATE', 'CHARGE_MADE_LATE'];

export function reconcileItemFromEnvironment(logger: Logger, metrics: Metrics): Omit<ReconcileItemDeps, 'remainingMs'> {
  const client = documentClient();
  const machines = new SFNClient(awsClient);
  const payments = paymentsFromEnvironment(client);
  const tokens = createTokens(client, environmentVariable('TOKENS_TABLE'));
  return {
    ...publishFromEnvironment(payments, logger, metrics),
    tokens,
    vivaFor: vivaFromEnvironment(tokens),
    executions: createExecutions(machines, environmentVariable('MACHINE_ARN')),
    stateOfExecution: createStateOfExecution(machines),
    reconcileRfOrder,
  };
}

/** Counts the events that need a review in the metric `NeedsReview`, which has an alarm. */
export function publishFromEnvironment(payments: Payments, logger: Logger, metrics: Metrics): PublishDeps {
  return {
    payments,
    putEvents: createPutEvents(new EventBridgeClient(awsClient), environmentVariable('EVENT_BUS')),
    onPublished: (status, about, reason) => {
      logger.info('event published', { status, about, reason });
      if (status === 'needs_review' || (reason !== undefined && FAILURES_TO_REVIEW.includes(reason))) {
        metrics.addMetric('NeedsReview', MetricUnit.Count, 1);
      }
    },
    now: Date.now,
  };
}
