/** Lambda entry of deliver-announcement: what lives as long as the execution environment, and nothing else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { awsClient, environmentVariable } from '../../../shared/aws.ts';
import { createCredentials } from '../../../shared/credentials.ts';
import { documentClient } from '../../../shared/document-client.ts';
import { createPayments } from '../../../shared/payments.ts';
import { createStepHandler } from '../../../shared/step.ts';
import { createPost } from './post.ts';
import { deliverAnnouncement } from './step.ts';

const logger = new Logger();
const metrics = new Metrics();

export const handler = createStepHandler(
  deliverAnnouncement,
  {
    payments: createPayments(documentClient(), environmentVariable('PAYMENTS_TABLE')),
    credentials: createCredentials(new SecretsManagerClient(awsClient), environmentVariable('SECRETS_PREFIX')),
    post: createPost({ allowPrivate: environmentVariable('CALLBACKS_ALLOW_PRIVATE') === 'true' }),
    onDead: ({ about }) => {
      logger.error('an announcement could not be delivered', { about });
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
