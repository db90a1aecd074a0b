/** Lambda entry of list-resources: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { listResources } from './endpoint.ts';

export const handler = createEndpointHandler(
  listResources,
  { payments: paymentsFromEnvironment(), now: Date.now },
  { logger: new Logger(), metrics: new Metrics() },
);
