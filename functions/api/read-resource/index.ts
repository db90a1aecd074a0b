/** Lambda entry of read-resource: what lives as long as the execution environment, and nothing else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { readResource } from './endpoint.ts';

export const handler = createEndpointHandler(
  readResource,
  { payments: paymentsFromEnvironment(), now: Date.now, sleep },
  { logger: new Logger(), metrics: new Metrics() },
);
