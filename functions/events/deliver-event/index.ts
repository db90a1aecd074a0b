/** Lambda entry of deliver-event: creates its clients once per execution environment. */
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
      logger.error('An event could not be delivered and was given up.', { about });
      metrics.addMetric('DeliveryDead', MetricUnit.Count, 1);
    },
    onError: ({ code, cause }) => {
      logger.error('A callback was not sent.', { code, cause: cause instanceof Error ? cause.name : undefined });
    },
    now: Date.now,
    sleep,
  },
  { logger, metrics },
);
