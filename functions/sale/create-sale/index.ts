/** Lambda entry of create-sale: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createExecutions } from '../../../shared/flow/executions.ts';
import { createPayments } from '../../../shared/payments/store.ts';
import { createSale } from './endpoint.ts';

export const handler = createEndpointHandler(
  createSale,
  {
    payments: createPayments(documentClient(), environmentVariable('PAYMENTS_TABLE')),
    executions: createExecutions(new SFNClient(awsClient), environmentVariable('MACHINE_ARN')),
    stackId: environmentVariable('STACK_ID'),
    now: Date.now,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
