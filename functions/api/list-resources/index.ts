/** Lambda entry of list-resources: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { environmentVariable } from '../../../shared/aws.ts';
import { documentClient } from '../../../shared/document-client.ts';
import { createEndpointHandler } from '../../../shared/endpoint.ts';
import { createPayments } from '../../../shared/payments.ts';
import { listResources } from './endpoint.ts';

export const handler = createEndpointHandler(
  listResources,
  { payments: createPayments(documentClient(), environmentVariable('PAYMENTS_TABLE')), now: Date.now },
  { logger: new Logger(), metrics: new Metrics() },
);
