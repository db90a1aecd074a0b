/** Adds the platform's accounts as an operator does in a real environment: their secrets and their settings. */
import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createPayments } from '../shared/payments/store.ts';
import { isvOwner } from '../shared/viva/credentials.ts';
import type { Cloud } from './cloud/cloud.ts';
import type { SandboxMerchant } from './viva/books/accounts.ts';
import type { Platform } from './viva/viva.ts';

/** The sandbox's own key, which may do everything: for an operator's tools. */
export const ADMIN = { accessKeyId: 'AKIDSANDBOXADMIN', secretAccessKey: 'sandbox' };
const SECRETS_PREFIX = 'tillflow/local';

export interface Accounts {
  putSecrets(): Promise<void>;
  putSettings(): Promise<void>;
  /** Where a merchant, or `isv`, has registered the webhook address. */
  webhookUrl(recipient: string): string;
  /** The content of a merchant's secret. */
  credentialsOf(merchant: SandboxMerchant): object;
}

export function takeOnAccounts(cloud: Cloud, { merchants, isv }: Platform): Accounts {
  const client = { endpoint: cloud.awsUrl, region: cloud.region, credentials: { ...ADMIN } };
  const secrets = new SecretsManagerClient(client);
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(client), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const payments = createPayments(documents, { name: cloud.outputs['PaymentsTable'] ?? '', dueShards: 1 });
  const pathTokens = new Map(
    [isvOwner, ...merchants.map(({ merchantId }) => merchantId)].map((owner) => [
      owner,
      randomBytes(24).toString('hex'),
    ]),
  );
  const callbackSecrets = new Map(
    merchants.map(({ merchantId }) => [merchantId, `whsec_${randomBytes(32).toString('base64')}`]),
  );
  const webhookPathTokens = (owner: string) => [pathTokens.get(owner)];
  const credentialsOf = ({ merchantId, credentials }: SandboxMerchant) => ({
    ...credentials,
    webhookPathTokens: webhookPathTokens(merchantId),
    callbackSecret: callbackSecrets.get(merchantId),
  });
  return {
    credentialsOf,
    webhookUrl: (recipient) => `${cloud.apiUrl}/webhooks/${recipient}/${pathTokens.get(recipient)}`,

    async putSecrets() {
      for (const merchant of merchants) {
        await secrets.send(
          new CreateSecretCommand({
            Name: `${SECRETS_PREFIX}/accounts/${merchant.merchantId}`,
            SecretString: JSON.stringify(credentialsOf(merchant)),
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
            webhookPathTokens: webhookPathTokens(isvOwner),
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
            // Both settings can be tried: the last connected account takes its sales through the ISV.
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
