/**
 * Lambda authorizers: who the caller is and which methods it may use. The function's answer is cached for the
 * authorizer's TTL by the caller's identity, so its policy must cover every method of the API.
 */
import * as z from 'zod';
import type { Clock } from '../../clock.ts';
import type { FunctionHost } from '../seams.ts';
import type { Api, Authorizer } from './api.ts';
import { eventOf } from './event.ts';
import type { PolicyStatements } from './policy.ts';
import { Refusal } from './refusal.ts';
import { type GatewayRequest, header } from './request.ts';
import type { Route } from './routes.ts';

const answerSchema = z.object({
  principalId: z.string(),
  policyDocument: z.object({ Version: z.string().optional(), Statement: z.array(z.record(z.string(), z.unknown())) }),
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
});

export interface Authorization {
  readonly statements: PolicyStatements;
  /** For the event and `$context.authorizer`: API Gateway converts all values to text. */
  readonly context: Readonly<Record<string, string>>;
}

interface Kept {
  readonly authorization: Authorization;
  readonly untilMs: number;
}

export class Authorizers {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #functions: FunctionHost;
  readonly #kept = new Map<string, Kept>();

  constructor(api: Api, clock: Clock, functions: FunctionHost) {
    this.#api = api;
    this.#clock = clock;
    this.#functions = functions;
  }

  /** Throws a Refusal when the caller cannot be identified; the policy decides whether it may use the method. */
  async authorize(request: GatewayRequest, route: Route, methodArn: string): Promise<Authorization> {
    const authorizer = this.#api.authorizers.get(route.method.AuthorizerId ?? '');
    if (authorizer === undefined) {
      throw new Refusal('AUTHORIZER_CONFIGURATION_ERROR');
    }
    const identity = identityOf(authorizer, request, this.#api);
    const cacheKey = JSON.stringify([authorizer.id, identity]);
    const kept = this.#kept.get(cacheKey);
    if (kept !== undefined && this.#clock.now() < kept.untilMs) {
      return kept.authorization;
    }
    const event =
      authorizer.Type === 'TOKEN'
        ? { type: 'TOKEN', methodArn, authorizationToken: identity[0] }
        : { type: 'REQUEST', methodArn, ...eventOf(request, route, this.#api) };
    const authorization = await this.#ask(authorizer, event);
    if (authorizer.AuthorizerResultTtlInSeconds > 0) {
      const untilMs = this.#clock.now() + authorizer.AuthorizerResultTtlInSeconds * 1000;
      this.#kept.set(cacheKey, { authorization, untilMs });
    }
    return authorization;
  }

  clear(): void {
    this.#kept.clear();
  }

  async #ask({ id, AuthorizerUri }: Authorizer, event: object): Promise<Authorization> {
    const sourceArn = `arn:aws:execute-api:${this.#api.region}:${this.#api.account}:${this.#api.id}/authorizers/${id}`;
    const invoker = { service: 'apigateway.amazonaws.com', sourceArn } as const;
    const result = await this.#functions.invoke(AuthorizerUri, event, { invoker });
    if (!result.ok) {
      throw new Refusal(result.errorMessage === 'Unauthorized' ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE');
    }
    const answer = answerSchema.safeParse(result.payload);
    if (!answer.success) {
      throw new Refusal('AUTHORIZER_CONFIGURATION_ERROR');
    }
    const { principalId, policyDocument, context = {} } = answer.data;
    const texts = Object.entries(context).map(([name, value]) => [name, String(value)]);
    return { statements: policyDocument.Statement, context: { ...Object.fromEntries(texts), principalId } };
  }
}

/** The values of the identity sources. A caller who lacks one is refused without asking the function. */
function identityOf(authorizer: Authorizer, request: GatewayRequest, api: Api): string[] {
  const identity = authorizer.IdentitySource.map((source) => sourceValue(source, request, api));
  const expression = new RegExp(`^(?:${authorizer.IdentityValidationExpression ?? '.*'})$`, 's');
  if (!identity.every((value) => value !== undefined && value !== '' && expression.test(value))) {
    throw new Refusal('UNAUTHORIZED');
  }
  return identity as string[];
}

function sourceValue(source: string, request: GatewayRequest, api: Api): string | undefined {
  const name = source.slice(source.lastIndexOf('.') + 1);
  if (source.startsWith('stageVariables.')) {
    return api.stage.Variables?.[name];
  }
  return source.startsWith('method.request.header.')
    ? header(request, name)
    : request.query.findLast(([key]) => key === name)?.[1];
}
