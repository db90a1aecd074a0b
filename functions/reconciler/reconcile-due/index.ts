/** Lambda entry of look-again: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { lookFromEnvironment } from '../../../shared/reconciliation/from-environment.ts';
import { lookAgain } from './step.ts';

const logger = new Logger();
const metrics = new Metrics();

export const handler = createStepHandler(
  lookAgain,
  {
    ...lookFromEnvironment(logger, metrics),
    onError: (code) => logger.warn('not read, and stays due', { code }),
  },
  { logger, metrics },
);
