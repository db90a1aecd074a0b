/** Lambda entry of await-terminal: creates its clients once per execution environment. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { awsClient, environmentVariable } from '../../../shared/aws/environment.ts';
import { createStepHandler } from '../../../shared/flow/step.ts';
import { createCompleteTask } from '../../../shared/flow/tasks.ts';
import { paymentsFromEnvironment } from '../../../shared/payments/from-environment.ts';
import { createTokens } from '../../../shared/tokens/store.ts';
import { vivaFromEnvironment } from '../../../shared/viva/from-environment.ts';
import { awaitTerminal } from './step.ts';

const client = documentClient();
const tokens = createTokens(client, environmentVariable('TOKENS_TABLE'));

export const handler = createStepHandler(
  awaitTerminal,
  {
    payments: paymentsFromEnvironment(client),
    vivaFor: vivaFromEnvironment(tokens),
    completeTask: createCompleteTask(new SFNClient(awsClient)),
    now: Date.now,
    sleep,
  },
  { logger: new Logger(), metrics: new Metrics() },
);
