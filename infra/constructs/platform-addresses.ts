/** The addresses of the platform. They are parameters, because the sandbox's simulator listens on another port each time. */
import { CfnParameter, type Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Environment } from '../environments.ts';

export class PlatformAddresses {
  readonly #variables: Readonly<Record<string, string>>;

  constructor(stack: Stack, { platform }: Environment) {
    const address = (id: string, description: string, value: string) =>
      new CfnParameter(stack, id, { description, default: value }).valueAsString;
    this.#variables = {
      PLATFORM_AUTH_URL: address('PlatformAuthUrl', 'Identity server of the platform', platform.authUrl),
      PLATFORM_API_URL: address('PlatformApiUrl', 'API of the platform that accepts bearer tokens', platform.apiUrl),
      PLATFORM_BASE_URL: address(
        'PlatformBaseUrl',
        'API of the platform that accepts Basic authentication',
        platform.baseUrl,
      ),
    };
  }

  provide(to: LambdaFunction): void {
    for (const [name, value] of Object.entries(this.#variables)) {
      to.addEnvironment(name, value);
    }
  }
}
