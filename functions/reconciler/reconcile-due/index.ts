/** Lambda entry of reconcile-due: creates its clients once per execution environment. */
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
    onError: (code) => logger.warn('An item could not be reconciled and stays due.', { code }),
  },
  { logger, metrics },
);
