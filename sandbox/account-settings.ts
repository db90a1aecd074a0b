/** Takes the platform's accounts on, as an operator does for a real environment: their secrets, and their settings. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createPayments } from '../shared/payments.ts';
import type { Cloud } from './cloud/cloud.ts';
import type { Platform } from './platform/platform.ts';

const ADMIN = { accessKeyId: 'AKIDSANDBOXADMIN', secretAccessKey: 'sandbox' };
const SECRETS_PREFIX = 'tillflow/local';

export interface Accounts {
  putSecrets(): Promise<void>;
  putSettings(): Promise<void>;
}

export function takeOnAccounts(cloud: Cloud, { merchants, isv }: Platform): Accounts {
  const client = { endpoint: cloud.awsUrl, region: cloud.region, credentials: ADMIN };
  const secrets = new SecretsManagerClient(client);
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(client), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const payments = createPayments(documents, cloud.outputs['PaymentsTable'] ?? '');
  return {
    async putSecrets() {
      for (const { merchantId, credentials } of merchants) {
        await secrets.send(
          new CreateSecretCommand({
            Name: `${SECRETS_PREFIX}/accounts/${merchantId}`,
            SecretString: JSON.stringify(credentials),
          }),
        );
      }
      const { clientId, clientSecret, resellerId, resellerApiKey } = isv;
      await secrets.send(
        new PutSecretValueCommand({
          SecretId: `${SECRETS_PREFIX}/isv`,
          SecretString: JSON.stringify({
            isv: { clientId, clientSecret },
            reseller: { resellerId, apiKey: resellerApiKey },
          }),
        }),
      );
    },

    async putSettings() {
      const lastOfIsv = merchants.findLast(({ mode }) => mode === 'isv');
      for (const { merchantId, mode, country, industry, terminals } of merchants) {
        await payments.create(
          'account',
          merchantId,
          {
            merchantId,
            mode,
            country,
            currency: 'EUR',
            industry,
            terminals,
            // Both settings are there to be tried: the last connected account takes its sales through the ISV.
            terminalApi: merchantId === lastOfIsv?.merchantId ? 'isv' : 'merchant',
            isvCapture: 'reseller',
            returnUrls: ['https://shop.example/return'],
            captureDays: 5,
            sendSessionRedirectUrl: true,
          },
          { listed: false },
        );
      }
    },
  };
}
