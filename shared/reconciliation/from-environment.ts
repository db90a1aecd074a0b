/** What a look at an item takes, as both functions that look have it: from the function's environment. */
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { documentClient, environmentVariable } from '../aws.ts';
import { createPutEvents } from '../event-bus.ts';
import { createExecutions, createStateOfExecution } from '../executions.ts';
import { createPayments } from '../payments.ts';
import { platformFromEnvironment } from '../platform/from-environment.ts';
import { settleRfOrder } from '../settlement/rf.ts';
import { createTokens } from '../tokens.ts';
import type { LookDeps } from './look.ts';

export function lookFromEnvironment(logger: Logger, metrics: Metrics): Omit<LookDeps, 'remainingMs'> {
  const client = documentClient();
  const machines = new SFNClient({});
  return {
    payments: createPayments(client, environmentVariable('PAYMENTS_TABLE')),
    platformFor: platformFromEnvironment(createTokens(client, environmentVariable('TOKENS_TABLE'))),
    putEvents: createPutEvents(new EventBridgeClient({}), environmentVariable('EVENT_BUS')),
    executions: createExecutions(machines, environmentVariable('MACHINE_ARN')),
    stateOfExecution: createStateOfExecution(machines),
    settleRfOrder,
    onPublished: (announced, about) => {
      logger.info('announced', { announced, about });
      if (announced === 'needs_review') {
        metrics.addMetric('NeedsReview', MetricUnit.Count, 1);
      }
    },
    now: Date.now,
  };
}
