/** What a look at an item takes, and what telling others takes, as every function that does it has it: from its environment. */
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { awsClient, environmentVariable } from '../aws.ts';
import { documentClient } from '../document-client.ts';
import { createPutEvents } from '../event-bus.ts';
import { createExecutions, createStateOfExecution } from '../executions.ts';
import type { FailureCode } from '../failures.ts';
import { createPayments, type Payments } from '../payments.ts';
import { platformFromEnvironment } from '../platform/from-environment.ts';
import type { PublishDeps } from '../publish.ts';
import { settleRfOrder } from '../settlement/rf.ts';
import { createTokens } from '../tokens.ts';
import type { LookDeps } from './look.ts';

/** Reasons of ends that somebody has to look at all the same. */
const FOR_A_PERSON: readonly FailureCode[] = ['RF_CODE_INVALID', 'SALE_PAID_LATE', 'CHARGE_MADE_LATE'];

export function lookFromEnvironment(logger: Logger, metrics: Metrics): Omit<LookDeps, 'remainingMs'> {
  const client = documentClient();
  const machines = new SFNClient(awsClient);
  const payments = createPayments(client, environmentVariable('PAYMENTS_TABLE'));
  return {
    ...publishFromEnvironment(payments, logger, metrics),
    platformFor: platformFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE'))),
    executions: createExecutions(machines, environmentVariable('MACHINE_ARN')),
    stateOfExecution: createStateOfExecution(machines),
    settleRfOrder,
    onFinding: ({ reason, transactionId }) => {
      logger.error('a payment at the platform has no place in our books', { reason, transactionId });
      metrics.addMetric('NeedsReview', MetricUnit.Count, 1);
    },
    onDayTooLarge: (merchantId, day) => {
      logger.error('the list of a day is too long for one answer and was not read', { merchantId, day });
      metrics.addMetric('DayTooLarge', MetricUnit.Count, 1);
    },
  };
}

/** What a person must look at is counted: an alarm watches it. A wrong payment code is nobody's order, but somebody's bug. */
export function publishFromEnvironment(payments: Payments, logger: Logger, metrics: Metrics): PublishDeps {
  return {
    payments,
    putEvents: createPutEvents(new EventBridgeClient(awsClient), environmentVariable('EVENT_BUS')),
    onPublished: (announced, about, reason) => {
      logger.info('announced', { announced, about, reason });
      if (announced === 'needs_review' || (reason !== undefined && FOR_A_PERSON.includes(reason))) {
        metrics.addMetric('NeedsReview', MetricUnit.Count, 1);
      }
    },
    now: Date.now,
  };
}
