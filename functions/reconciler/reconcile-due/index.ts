/** Lambda entry of reconcile-due: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { reconcileItemFromEnvironment } from '../../../shared/reconciliation/from-environment.ts';
import { reconcileDue } from './step.ts';

const logger = new Logger();
const metrics = new Metrics();

export const handler = createStepHandler(
  reconcileDue,
  {
    ...reconcileItemFromEnvironment(logger, metrics),
    onError: (code) => logger.warn('not read, and stays due', { code }),
  },
  { logger, metrics },
);
