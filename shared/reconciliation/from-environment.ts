/** What a look at an item takes, and what telling others takes, as every function that does it has it: from its environment. */
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { documentClient, environmentVariable } from '../aws.ts';
import { createPutEvents } from '../event-bus.ts';
import { createExecutions, createStateOfExecution } from '../executions.ts';
import { createPayments, type Payments } from '../payments.ts';
import { platformFromEnvironment } from '../platform/from-environment.ts';
import type { PublishDeps } from '../publish.ts';
import { settleRfOrder } from '../settlement/rf.ts';
import { createTokens } from '../tokens.ts';
import type { LookDeps } from './look.ts';

export function lookFromEnvironment(logger: Logger, metrics: Metrics): Omit<LookDeps, 'remainingMs'> {
  const client = documentClient();
  const machines = new SFNClient({});
  const payments = createPayments(client, environmentVariable('PAYMENTS_TABLE'));
  return {
    ...publishFromEnvironment(payments, logger, metrics),
    platformFor: platformFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE'))),
    executions: createExecutions(machines, environmentVariable('MACHINE_ARN')),
    stateOfExecution: createStateOfExecution(machines),
    settleRfOrder,
  };
}

/** What is announced as needing review is counted: an alarm watches it. */
export function publishFromEnvironment(payments: Payments, logger: Logger, metrics: Metrics): PublishDeps {
  return {
    payments,
    putEvents: createPutEvents(new EventBridgeClient({}), environmentVariable('EVENT_BUS')),
    onPublished: (announced, about) => {
      logger.info('announced', { announced, about });
      if (announced === 'needs_review') {
        metrics.addMetric('NeedsReview', MetricUnit.Count, 1);
      }
    },
    now: Date.now,
  };
}
