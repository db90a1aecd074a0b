/** Lambda entry of await-terminal: what lives as long as the execution environment, and nothing else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { awsClient, environmentVariable } from '../../../shared/aws.ts';
import { documentClient } from '../../../shared/document-client.ts';
import { createPayments } from '../../../shared/payments.ts';
import { platformFromEnvironment } from '../../../shared/platform/from-environment.ts';
import { createStepHandler } from '../../../shared/step.ts';
import { createCompleteTask } from '../../../shared/tasks.ts';
import { createTokens } from '../../../shared/tokens.ts';
import { awaitTerminal } from './step.ts';

const client = documentClient();
const tokens = createTokens(client, environmentVariable('TOKENS_TABLE'));

export const handler = createStepHandler(
  awaitTerminal,
  {
    payments: createPayments(client, environmentVariable('PAYMENTS_TABLE')),
    platformFor: platformFromEnvironment(tokens),
    completeTask: createCompleteTask(new SFNClient(awsClient)),
    now: Date.now,
    sleep,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
