/** Lambda's Invoke, a REST call: the payload is the body, and a function error is a success with a header. */
import type { Call } from '../iam.ts';
import { AwsError, type FunctionHost } from '../seams.ts';

export interface InvokeRequest {
  readonly path: string;
  readonly invocationType: string;
  readonly body: string;
  readonly authorize: (call: Call) => void;
}

export interface InvokeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const INVOKE = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

export function lambdaInvoke(
  functions: FunctionHost,
  arnOf: (functionName: string) => string,
): (request: InvokeRequest) => Promise<InvokeAnswer> {
  return async ({ path, invocationType, body, authorize }) => {
    const [, encodedName] = INVOKE.exec(path) ?? [];
    if (encodedName === undefined) {
      throw new AwsError('UnknownOperationException', 'the local cloud knows only Invoke of functions', 404);
    }
    const name = decodeURIComponent(encodedName);
    authorize({ action: 'lambda:InvokeFunction', resource: name.startsWith('arn:') ? name : arnOf(name) });
    const payload: unknown = body === '' ? {} : JSON.parse(body);
    if (invocationType === 'Event') {
      functions.invokeAsync(name, payload);
      return { status: 202, headers: {}, body: '' };
    }
    const result = await functions.invoke(name, payload);
    if (result.ok) {
      return { status: 200, headers: { 'x-amz-executed-version': '$LATEST' }, body: JSON.stringify(result.payload) };
    }
    const { errorType, errorMessage } = result;
    if (errorType === 'Lambda.TooManyRequestsException') {
      throw new AwsError('TooManyRequestsException', errorMessage, 429);
    }
    if (errorType === 'Lambda.ResourceNotFoundException') {
      throw new AwsError('ResourceNotFoundException', errorMessage, 404);
    }
    const headers = { 'x-amz-executed-version': '$LATEST', 'x-amz-function-error': 'Unhandled' };
    return { status: 200, headers, body: JSON.stringify({ errorType, errorMessage }) };
  };
}
