/** Lambda entry of store-card: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createExecutions } from '../../../shared/flow/executions.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { storeCard } from './endpoint.ts';

export const handler = createEndpointHandler(
  storeCard,
  {
    payments: paymentsFromEnvironment(),
    executions: createExecutions(new SFNClient(awsClient), environmentVariable('MACHINE_ARN')),
    stackId: environmentVariable('STACK_ID'),
    now: Date.now,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
