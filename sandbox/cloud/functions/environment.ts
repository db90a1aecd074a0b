/** The environment variables of a function: Lambda's own, the address and key of the local AWS endpoint, and the template's. */
import { devNull } from 'node:os';
import type { FunctionDefinition } from './definition.ts';

export function environmentOf(
  { name, handler, module, memoryMb, logGroupName, folder, environment }: FunctionDefinition,
  accessKeyId: string,
  { region, endpoint }: { readonly region: string; readonly endpoint: string },
): Record<string, string> {
  const file = module.slice(module.lastIndexOf('/') + 1, -'.mjs'.length);
  return {
    TZ: ':UTC',
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: logGroupName,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: `${file}.${handler}`,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'sandbox',
    AWS_SESSION_TOKEN: 'sandbox',
    // The machine's own AWS settings must not reach a function.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    ...environment,
  };
}
