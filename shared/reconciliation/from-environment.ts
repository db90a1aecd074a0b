/** What functions need to reconcile items and to publish events, from their environment. */
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
import { platformFromEnvironment } from '../viva/from-environment.ts';
import type { ReconcileItemDeps } from './reconcile-item.ts';
import { reconcileRfOrder } from './rf-order/reconcile.ts';

/** Failures that a person must check although the item has ended. */
const FOR_A_PERSON: readonly FailureCode[] = ['RF_CODE_INVALID', 'SALE_PAID_LATE', 'CHARGE_MADE_LATE'];

export function reconcileItemFromEnvironment(logger: Logger, metrics: Metrics): Omit<ReconcileItemDeps, 'remainingMs'> {
  const client = documentClient();
  const machines = new SFNClient(awsClient);
  const payments = paymentsFromEnvironment(client);
  return {
    ...publishFromEnvironment(payments, logger, metrics),
    platformFor: platformFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE'))),
    executions: createExecutions(machines, environmentVariable('MACHINE_ARN')),
    stateOfExecution: createStateOfExecution(machines),
    reconcileRfOrder,
  };
}

/**
 * Counts what a person must check, for an alarm. A wrong payment code harms no order, but it is a bug of the platform.
 */
export function publishFromEnvironment(payments: Payments, logger: Logger, metrics: Metrics): PublishDeps {
  return {
    payments,
    putEvents: createPutEvents(new EventBridgeClient(awsClient), environmentVariable('EVENT_BUS')),
    onPublished: (status, about, reason) => {
      logger.info('event published', { status, about, reason });
      if (status === 'needs_review' || (reason !== undefined && FOR_A_PERSON.includes(reason))) {
        metrics.addMetric('NeedsReview', MetricUnit.Count, 1);
      }
    },
    now: Date.now,
  };
}
