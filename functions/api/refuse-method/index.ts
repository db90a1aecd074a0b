/** Lambda entry of refuse-method. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { refuseMethod } from './endpoint.ts';

export const handler = createEndpointHandler(refuseMethod, {}, { logger: new Logger(), metrics: new Metrics() });
