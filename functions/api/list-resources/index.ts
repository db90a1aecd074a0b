/** Lambda entry of list-resources: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { environmentVariable } from '../../../shared/aws/environment.ts';
import { createPayments } from '../../../shared/payments/store.ts';
import { listResources } from './endpoint.ts';

export const handler = createEndpointHandler(
  listResources,
  { payments: createPayments(documentClient(), environmentVariable('PAYMENTS_TABLE')), now: Date.now },
  { logger: new Logger(), metrics: new Metrics() },
);
