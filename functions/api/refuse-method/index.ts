/** Answers a method that a resource does not know: 405, with the ones it knows. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { refuseMethod } from './endpoint.ts';

export const handler = createEndpointHandler(refuseMethod, {}, { logger: new Logger(), metrics: new Metrics() });
