/** The gateway's own responses: status, body and headers of each refusal, by default or as in the template. */
import type { GatewayResponse } from './api.ts';
import { defaultAnswers, type Refusal } from './refusal.ts';
import { checkTemplate, render, type Variables } from './variables.ts';

export interface HttpAnswer {
  readonly status: number;
  /** A header with several values is an array. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer;
}

const HEADER = 'gatewayresponse.header.';

export class GatewayResponses {
  readonly #custom: ReadonlyMap<string, GatewayResponse>;

  constructor(custom: readonly GatewayResponse[]) {
    this.#custom = new Map(custom.map((response) => [response.ResponseType, response]));
    for (const response of custom) {
      check(response);
    }
  }

  /** Adds the variables of the refusal that the access log needs. */
  answer(refusal: Refusal, variables: Variables): HttpAnswer {
    const { status, errorType } = defaultAnswers[refusal.responseType];
    const fallback = status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
    const custom = this.#custom.get(refusal.responseType) ?? this.#custom.get(fallback);
    variables['error.message'] = refusal.message;
    variables['error.messageString'] = refusal.message;
    variables['error.responseType'] = refusal.responseType;
    variables['error.validationErrorString'] = refusal.validationError;
    const templates = custom?.ResponseTemplates ?? {};
    const mediaType = templates['application/json'] === undefined ? Object.keys(templates)[0] : undefined;
    const template = templates[mediaType ?? 'application/json'] ?? '{"message":$context.error.messageString}';
    const headers = Object.entries(custom?.ResponseParameters ?? {}).map(([name, value]) => [
      name.slice(HEADER.length).toLowerCase(),
      render(value.replace(/^'(.*)'$/s, '$1').replace(/^context\./, '$context.'), variables, ''),
    ]);
    return {
      status: custom?.StatusCode ?? status,
      headers: {
        'content-type': mediaType ?? 'application/json',
        'x-amzn-errortype': errorType,
        ...Object.fromEntries(headers),
      },
      body: render(template, variables, ''),
    };
  }
}

/**
 * Headers are a quoted text or a variable, templates may use `$context`; anything else is refused, although AWS may
 * accept it.
 */
function check({ ResponseType, ResponseParameters, ResponseTemplates }: GatewayResponse): void {
  if (!Object.hasOwn(defaultAnswers, ResponseType)) {
    throw new Error(`there is no gateway response of type ${ResponseType}`);
  }
  for (const [name, value] of Object.entries(ResponseParameters)) {
    if (!name.startsWith(HEADER) || !/^('.*'|context\.[\w.]+)$/s.test(value)) {
      throw new Error(`${ResponseType}: the local gateway does not know ${name} = ${value}`);
    }
    if (value.startsWith('context.')) {
      checkTemplate(`$${value}`, ResponseType);
    }
  }
  for (const template of Object.values(ResponseTemplates)) {
    checkTemplate(template, ResponseType);
  }
}
