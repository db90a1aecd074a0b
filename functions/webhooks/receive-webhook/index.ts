/** Lambda entry of receive-webhook: creates its clients once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { createEndpointHandler } from '../../../shared/api/endpoint.ts';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createWake } from '../../../shared/aws/wake.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { createTokens } from '../../../shared/tokens/store.ts';
import { vivaDepsFromEnvironment } from '../../../shared/viva/from-environment.ts';
import { createWebhookKey } from '../../../shared/viva/webhook-key.ts';
import { createIsPath } from '../../../shared/webhooks/path-tokens.ts';
import { knownSources } from '../../../shared/webhooks/sources.ts';
import { receiveWebhook } from './endpoint.ts';

const client = documentClient();
const tokens = createTokens(client, environmentVariable('TOKENS_TABLE'));
const viva = vivaDepsFromEnvironment(tokens);
const metrics = new Metrics();

export const handler = createEndpointHandler(
  receiveWebhook,
  {
    payments: paymentsFromEnvironment(client),
    isPath: createIsPath(viva.credentials),
    webhookKey: createWebhookKey({ ...viva, tokens }),
    wake: createWake(new LambdaClient(awsClient), environmentVariable('ACT_ON_WEBHOOK_FUNCTION')),
    isKnownSource: knownSources(environmentVariable('WEBHOOK_SOURCES')),
    count: (metric) => metrics.addMetric(metric, MetricUnit.Count, 1),
    now: Date.now,
  },
  { logger: new Logger(), metrics },
);
