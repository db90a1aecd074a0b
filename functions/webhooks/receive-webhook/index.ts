/** Lambda entry of receive-webhook: what lives as long as the execution environment, and nothing else. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { awsClient, environmentVariable } from '../../../shared/aws.ts';
import { documentClient } from '../../../shared/document-client.ts';
import { createEndpointHandler } from '../../../shared/endpoint.ts';
import { createNudge } from '../../../shared/nudge.ts';
import { createPayments } from '../../../shared/payments.ts';
import { platformDepsFromEnvironment } from '../../../shared/platform/from-environment.ts';
import { createWebhookKey } from '../../../shared/platform/webhook-key.ts';
import { createTokens } from '../../../shared/tokens.ts';
import { createIsPath } from '../../../shared/webhooks/path-tokens.ts';
import { knownSources } from '../../../shared/webhooks/sources.ts';
import { receiveWebhook } from './endpoint.ts';

const client = documentClient();
const tokens = createTokens(client, environmentVariable('TOKENS_TABLE'));
const platform = platformDepsFromEnvironment(tokens);
const metrics = new Metrics();

export const handler = createEndpointHandler(
  receiveWebhook,
  {
    payments: createPayments(client, environmentVariable('PAYMENTS_TABLE')),
    isPath: createIsPath(platform.credentials),
    webhookKey: createWebhookKey({ ...platform, tokens }),
    nudge: createNudge(new LambdaClient(awsClient), environmentVariable('ACT_ON_WEBHOOK_FUNCTION')),
    isKnownSource: knownSources(environmentVariable('WEBHOOK_SOURCES')),
    count: (metric) => metrics.addMetric(metric, MetricUnit.Count, 1),
    now: Date.now,
  },
  { logger: new Logger(), metrics },
);
