/** The Lambda proxy integration: passes on the body of the request and the response of the function. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod';
import type { Clock } from '../../clock.ts';
import type { FunctionHost, InvokeResult } from '../seams.ts';
import type { Api, Method } from './api.ts';
import { Refusal } from './refusal.ts';
import { type GatewayRequest, header } from './request.ts';
import type { HttpAnswer } from './responses.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const proxyAnswer = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), scalar).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(scalar)).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** Set by the gateway's own connection; the function's value is dropped, or kept under another name. */
const DROPPED = new Set(['content-length', 'transfer-encoding']);
const REMAPPED = new Set(['connection', 'date', 'server', 'www-authenticate']);

/** Base64 for the media types that the API declares binary, text for all others, null for none. */
export function encodeBody(
  body: Buffer,
  request: GatewayRequest,
  api: Api,
): { body: string | null; isBase64Encoded: boolean } {
  const isBase64Encoded = body.length > 0 && isBinary(header(request, 'content-type'), api);
  return { body: body.length > 0 ? body.toString(isBase64Encoded ? 'base64' : 'utf8') : null, isBase64Encoded };
}

/** Resolves to the function's result. A timeout is a Refusal, and the function continues to run. */
export async function invokeWithin(
  { Uri, TimeoutInMillis }: Method['Integration'],
  event: object,
  sourceArn: string,
  { clock, functions }: { readonly clock: Clock; readonly functions: FunctionHost },
): Promise<InvokeResult> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = clock.schedule(TimeoutInMillis, () => reject(new Refusal('INTEGRATION_TIMEOUT')));
  try {
    const invoker = { service: 'apigateway.amazonaws.com', sourceArn } as const;
    return await Promise.race([functions.invoke(Uri, event, { invoker }), promise]);
  } finally {
    timer.cancel();
  }
}

/** Throws a Refusal for anything but a well-formed proxy response. */
export function answerOf(result: InvokeResult, request: GatewayRequest, api: Api): HttpAnswer {
  if (!result.ok) {
    throw new Refusal(result.errorType.startsWith('Lambda.') ? 'DEFAULT_5XX' : 'INTEGRATION_FAILURE');
  }
  const parsed = proxyAnswer.safeParse(result.payload);
  if (!parsed.success) {
    throw new Refusal('INTEGRATION_FAILURE');
  }
  const { statusCode: status, headers, multiValueHeaders, body, isBase64Encoded } = parsed.data;
  const decode = isBase64Encoded === true && isBinary(header(request, 'accept')?.split(',')[0], api);
  return {
    status,
    headers: { 'content-type': 'application/json', ...mergedHeaders(headers ?? {}, multiValueHeaders ?? {}) },
    body: decode ? Buffer.from(body ?? '', 'base64') : (body ?? ''),
  };
}

type Scalar = z.output<typeof scalar>;

/** A header in both lists has the values of both, each once. */
function mergedHeaders(single: Record<string, Scalar>, multiple: Record<string, Scalar[]>): Record<string, string[]> {
  const merged: Record<string, string[]> = {};
  const all = [...Object.entries(multiple), ...Object.entries(single).map(([name, value]) => [name, [value]] as const)];
  for (const [given, values] of all) {
    const lower = given.toLowerCase();
    const name = REMAPPED.has(lower) ? `x-amzn-remapped-${lower}` : lower;
    if (!DROPPED.has(lower)) {
      refuseMalformed(name, values);
      merged[name] = [...new Set([...(merged[name] ?? []), ...values.map(String)])];
    }
  }
  return merged;
}

function refuseMalformed(name: string, values: readonly Scalar[]): void {
  try {
    validateHeaderName(name);
    for (const value of values) {
      validateHeaderValue(name, String(value));
    }
  } catch {
    throw new Refusal('INTEGRATION_FAILURE');
  }
}

function isBinary(mediaType: string | undefined, { binaryMediaTypes }: Api): boolean {
  const given = mediaType?.split(';')[0]?.trim().toLowerCase();
  return binaryMediaTypes.some((binary) => binary === '*/*' || binary.toLowerCase() === given);
}
