/** What the template says about its functions. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Stack } from '../template.ts';

export interface FunctionDefinition {
  readonly name: string;
  readonly arn: string;
  readonly roleArn: string;
  /** The file URL of the module, and the name of its export. */
  readonly module: string;
  readonly handler: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly reservedConcurrency: number | undefined;
  readonly logGroupName: string;
  /** For asynchronous invocations. */
  readonly maxRetries: number;
  readonly maxEventAgeSeconds: number;
  /** Where a debugger attaches to its one environment: see `npm run dev`. */
  readonly inspectPort?: number;
}

interface FunctionProperties {
  readonly Code: { readonly S3Key?: string };
  readonly Handler: string;
  readonly Role: string;
  readonly Timeout?: number;
  readonly MemorySize?: number;
  readonly ReservedConcurrentExecutions?: number;
  readonly Environment?: { readonly Variables?: Record<string, string> };
  readonly LoggingConfig?: { readonly LogGroup?: string };
}

interface EventInvokeProperties {
  readonly FunctionName: string;
  readonly MaximumRetryAttempts?: number;
  readonly MaximumEventAgeInSeconds?: number;
}

export function functionDefinitions(stack: Stack): FunctionDefinition[] {
  const eventInvokeConfigs = [...stack.ofType('AWS::Lambda::EventInvokeConfig').values()].map(
    ({ properties }) => properties as unknown as EventInvokeProperties,
  );
  return [...stack.ofType('AWS::Lambda::Function')].map(([logicalId, { properties }]) => {
    const given = properties as unknown as FunctionProperties;
    const name = stack.ref(logicalId);
    if (given.Code.S3Key === undefined) {
      throw new Error(`the code of function ${logicalId} is not an asset`);
    }
    const folder = stack.assetFolder(given.Code.S3Key);
    const [file, handler] = given.Handler.split('.') as [string, string];
    const eventInvoke = eventInvokeConfigs.find(({ FunctionName }) => FunctionName === name);
    return {
      name,
      arn: stack.attribute(logicalId, 'Arn'),
      roleArn: given.Role,
      module: pathToFileURL(join(folder, `${file}.mjs`)).href,
      handler,
      folder,
      environment: given.Environment?.Variables ?? {},
      timeoutMs: (given.Timeout ?? 3) * 1000,
      memoryMb: given.MemorySize ?? 128,
      reservedConcurrency: given.ReservedConcurrentExecutions,
      logGroupName: given.LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`,
      maxRetries: eventInvoke?.MaximumRetryAttempts ?? 2,
      maxEventAgeSeconds: eventInvoke?.MaximumEventAgeInSeconds ?? 21_600,
    };
  });
}
