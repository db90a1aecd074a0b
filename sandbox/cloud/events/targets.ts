/** The target of a rule or schedule: invokes a function asynchronously with its input or the event. */
import type { FunctionHost } from '../seams.ts';

export interface TargetProperties {
  readonly Id?: string;
  readonly Arn: string;
  readonly Input?: string;
  readonly RoleArn?: string;
  readonly RetryPolicy?: object;
  readonly DeadLetterConfig?: object;
}

export interface Target {
  readonly functionArn: string;
  payload(event: object): unknown;
}

/**
 * `DeadLetterConfig` is not needed because the reconciler repeats the work; `RetryPolicy` concerns a throttled Lambda
 * service.
 */
const known = new Set(['Id', 'Arn', 'Input', 'RoleArn', 'RetryPolicy', 'DeadLetterConfig']);

export function functionTarget(properties: TargetProperties): Target {
  const unknown = Object.keys(properties).find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new Error(`the local cloud does not know the property ${unknown} of a rule's target`);
  }
  if (!properties.Arn.startsWith('arn:aws:lambda:')) {
    throw new Error(`the local cloud does not know a rule's target ${properties.Arn}`);
  }
  const { Arn, Input } = properties;
  return { functionArn: Arn, payload: (event) => (Input === undefined ? event : JSON.parse(Input)) };
}

export function invokeTargets(functions: FunctionHost, targets: readonly Target[], event: object): void {
  for (const { functionArn, payload } of targets) {
    functions.invokeAsync(functionArn, payload(event));
  }
}
