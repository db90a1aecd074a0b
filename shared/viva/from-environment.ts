/** The platform's client for a function: addresses and secrets from its environment. */
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { awsClient, environmentVariable } from '../aws/environment.ts';
import type { Tokens } from '../tokens/store.ts';
import { createAccessTokens } from './access-tokens.ts';
import { createVivaFor } from './client.ts';
import { createCredentials } from './credentials.ts';
import type { VivaDeps } from './send.ts';
import type { VivaFor } from './viva.ts';

export function vivaFromEnvironment(tokens: Tokens): VivaFor {
  return createVivaFor(vivaDepsFromEnvironment(tokens));
}

export function vivaDepsFromEnvironment(tokens: Tokens): VivaDeps {
  const urls = {
    authUrl: environmentVariable('PLATFORM_AUTH_URL'),
    apiUrl: environmentVariable('PLATFORM_API_URL'),
    baseUrl: environmentVariable('PLATFORM_BASE_URL'),
  };
  const credentials = createCredentials(new SecretsManagerClient(awsClient), environmentVariable('SECRETS_PREFIX'));
  const accessTokens = createAccessTokens({ authUrl: urls.authUrl, credentials, tokens });
  return { urls, credentials, accessTokens };
}
