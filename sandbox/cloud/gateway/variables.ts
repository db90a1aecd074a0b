/**
 * `$context.…` in gateway responses and access logs. A template may only name variables that API Gateway has, so that a
 * typing error is found when the gateway starts and not as an empty field in production.
 */
import type { Api } from './api.ts';
import { requestTime } from './event.ts';
import { type GatewayRequest, header } from './request.ts';

export type Variables = Record<string, string | number | undefined>;

const REFERENCE = /\$context((?:\.\w+)+)|\$\{context((?:\.\w+)+)\}/g;

/** The known variables. Some have no value here, because the feature is not simulated. */
const names = new Set([
  'accountId',
  'apiId',
  'domainName',
  'error.message',
  'error.messageString',
  'error.responseType',
  'error.validationErrorString',
  'extendedRequestId',
  'httpMethod',
  'identity.caller',
  'identity.sourceIp',
  'identity.user',
  'identity.userAgent',
  'integration.error',
  'integration.latency',
  'integration.requestId',
  'integration.status',
  'integrationErrorMessage',
  'integrationLatency',
  'integrationStatus',
  'path',
  'protocol',
  'requestId',
  'requestTime',
  'requestTimeEpoch',
  'resourceId',
  'resourcePath',
  'responseLatency',
  'responseLength',
  'stage',
  'status',
  'wafResponseCode',
  'webaclArn',
  'xrayTraceId',
]);

/** Throws if the template names a variable that API Gateway does not have. */
export function checkTemplate(template: string, where: string): void {
  const rest = template.replaceAll(REFERENCE, (reference, bare?: string, braced?: string) => {
    const name = nameIn(bare, braced);
    if (!names.has(name) && !name.startsWith('authorizer.')) {
      throw new Error(`${where}: the local gateway does not know ${reference}`);
    }
    return '';
  });
  const unknown = /\$[\w{]\S*|^\s*#(?:set|if|foreach)\b/m.exec(rest);
  if (unknown !== null) {
    throw new Error(`${where}: the local gateway does not know ${unknown[0]}`);
  }
}

/** The variables of every request; the others are added as it proceeds. */
export function requestVariables(request: GatewayRequest, api: Api): Variables {
  return {
    accountId: api.account,
    apiId: api.id,
    domainName: header(request, 'host'),
    extendedRequestId: request.requestId,
    httpMethod: request.httpMethod,
    'identity.sourceIp': request.sourceIp,
    'identity.userAgent': header(request, 'user-agent'),
    path: request.path,
    protocol: request.protocol,
    requestId: request.requestId,
    requestTime: requestTime(request.receivedAt),
    requestTimeEpoch: request.receivedAt,
    stage: api.stage.StageName,
  };
}

/** `missing` replaces variables without a value. Values are escaped for JSON strings. */
export function render(template: string, variables: Readonly<Variables>, missing: string): string {
  return template.replaceAll(REFERENCE, (_, bare?: string, braced?: string) => {
    const name = nameIn(bare, braced);
    const value = variables[name];
    if (value === undefined) {
      return missing;
    }
    return name === 'error.messageString' ? JSON.stringify(value) : JSON.stringify(String(value)).slice(1, -1);
  });
}

function nameIn(bare: string | undefined, braced: string | undefined): string {
  return (bare ?? braced ?? '').slice(1);
}
