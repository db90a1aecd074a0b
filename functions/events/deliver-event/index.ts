/** Lambda entry of deliver-event: what lives as long as the execution environment, and nothing else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { createCredentials } from '../../../shared/viva/credentials.ts';
import { createPost } from './post.ts';
import { deliverEvent } from './step.ts';

const logger = new Logger();
const metrics = new Metrics();

export const handler = createStepHandler(
  deliverEvent,
  {
    payments: paymentsFromEnvironment(),
    credentials: createCredentials(new SecretsManagerClient(awsClient), environmentVariable('SECRETS_PREFIX')),
    post: createPost({ allowPrivate: environmentVariable('CALLBACKS_ALLOW_PRIVATE') === 'true' }),
    onDead: ({ about }) => {
      logger.error('an event could not be delivered', { about });
      metrics.addMetric('DeliveryDead', MetricUnit.Count, 1);
    },
    onError: ({ code, cause }) => {
      logger.error('a callback was not sent', { code, cause: cause instanceof Error ? cause.name : undefined });
    },
    now: Date.now,
    sleep,
  },
  { logger, metrics },
);
