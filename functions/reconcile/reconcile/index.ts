/** Lambda entry of reconcile: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { environmentVariable } from '../../../shared/aws.ts';
import { createNudge } from '../../../shared/nudge.ts';
import { lookFromEnvironment } from '../../../shared/reconciliation/from-environment.ts';
import { createStepHandler } from '../../../shared/step.ts';
import { reconcile } from './step.ts';

const logger = new Logger();
const metrics = new Metrics();

export const handler = createStepHandler(
  reconcile,
  {
    ...lookFromEnvironment(logger, metrics),
    nudgeWebhook: createNudge(new LambdaClient({}), environmentVariable('ACT_ON_WEBHOOK_FUNCTION')),
    onError: ({ kind, id }, { name, code }) =>
      logger.warn('a look failed', { about: `${kind}#${id}`, error: name, code }),
  },
  { logger, metrics },
);
