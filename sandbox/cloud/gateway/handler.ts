/**
 * The path of one request through the API, as in API Gateway: route, size, throttle, authorizer, policy, validation,
 * function. When it ends early a Refusal is thrown, and the gateway answers itself.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import { RecentList } from '../../recent.ts';
import type { FunctionHost } from '../seams.ts';
import type { Api } from './api.ts';
import { type Authorization, Authorizers } from './authorizer.ts';
import { eventOf } from './event.ts';
import { answerOf, encodeBody, invokeWithin } from './integration.ts';
import { isDenied, mayInvoke } from './policy.ts';
import { Refusal } from './refusal.ts';
import { type GatewayRequest, readBody, readRequest } from './request.ts';
import { GatewayResponses, type HttpAnswer } from './responses.ts';
import { createRoutes, type FindRoute, type Route } from './routes.ts';
import { Throttle } from './throttle.ts';
import { createValidation, type Validate } from './validation.ts';
import { checkTemplate, render, requestVariables, type Variables } from './variables.ts';

const MAX_ACCESS_LINES = 10_000;

export class RequestHandler {
  /** One line for each answered request, in the stage's format. */
  readonly accessLog = new RecentList<string>(MAX_ACCESS_LINES);
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #functions: FunctionHost;
  readonly #findRoute: FindRoute;
  readonly #throttle: Throttle;
  readonly #authorizers: Authorizers;
  readonly #validate: Validate;
  readonly #responses: GatewayResponses;

  constructor(api: Api, clock: Clock, functions: FunctionHost) {
    this.#api = api;
    this.#clock = clock;
    this.#functions = functions;
    this.#findRoute = createRoutes(api);
    this.#throttle = new Throttle(api.stage.MethodSettings, () => clock.now());
    this.#authorizers = new Authorizers(api, clock, functions);
    this.#validate = createValidation(api);
    this.#responses = new GatewayResponses(api.responses);
    checkTemplate(api.stage.AccessLogSetting?.Format ?? '', 'access log');
  }

  clear(): void {
    this.accessLog.clear();
    this.#throttle.clear();
    this.#authorizers.clear();
  }

  async handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = readRequest(message, this.#clock.now());
    const variables = requestVariables(request, this.#api);
    let answer: HttpAnswer;
    try {
      answer = await this.#answer(request, message, variables);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal('API_CONFIGURATION_ERROR', String(error));
      answer = this.#responses.answer(refusal, variables);
    }
    if (response.destroyed) {
      return;
    }
    response.statusCode = answer.status;
    response.setHeaders(new Map(Object.entries({ ...answer.headers, 'x-amzn-requestid': request.requestId })));
    response.end(answer.body);
    this.#log(answer, request, variables);
  }

  async #answer(request: GatewayRequest, message: IncomingMessage, variables: Variables): Promise<HttpAnswer> {
    const route = this.#route(request);
    Object.assign(variables, { resourcePath: route.resourcePath, resourceId: route.resourceId });
    const body = await readBody(message);
    if (!this.#throttle.admits(route)) {
      throw new Refusal('THROTTLED');
    }
    const context = await this.#authorize(request, route, variables);
    const encoded = encodeBody(body, request, this.#api);
    this.#validate(request, route, body.toString());

    const event = eventOf(request, route, this.#api, context);
    const invokedAt = this.#clock.now();
    const result = await invokeWithin(route.method.Integration, { ...event, ...encoded }, this.#methodArn(request), {
      clock: this.#clock,
      functions: this.#functions,
    });
    const latency = this.#clock.now() - invokedAt;
    const status = result.ok ? 200 : 500;
    Object.assign(variables, {
      integrationLatency: latency,
      'integration.latency': latency,
      integrationStatus: status,
      'integration.status': status,
    });
    return answerOf(result, request, this.#api);
  }

  #route(request: GatewayRequest): Route {
    let route: Route | undefined;
    try {
      route = this.#findRoute(request.httpMethod, request.path);
    } catch {
      throw new Refusal('DEFAULT_4XX');
    }
    if (route === undefined) {
      throw new Refusal('MISSING_AUTHENTICATION_TOKEN');
    }
    return route;
  }

  /** Resolves to the authorizer's context, if the method has one and the caller may use it. */
  async #authorize(
    request: GatewayRequest,
    route: Route,
    variables: Variables,
  ): Promise<Authorization['context'] | undefined> {
    const { policy } = this.#api;
    const call = { methodArn: this.#methodArn(request), sourceIp: request.sourceIp };
    if (isDenied(policy ?? [], call)) {
      throw new Refusal('ACCESS_DENIED');
    }
    if (route.method.AuthorizationType === 'NONE') {
      if (policy !== undefined && !mayInvoke(policy, call)) {
        throw new Refusal('ACCESS_DENIED');
      }
      return undefined;
    }
    const { statements, context } = await this.#authorizers.authorize(request, route, call.methodArn);
    for (const [name, value] of Object.entries(context)) {
      variables[`authorizer.${name}`] = value;
    }
    if (!mayInvoke([...(policy ?? []), ...statements], call)) {
      throw new Refusal('ACCESS_DENIED');
    }
    return context;
  }

  #methodArn({ httpMethod, path }: GatewayRequest): string {
    const { region, account, id, stage } = this.#api;
    return `arn:aws:execute-api:${region}:${account}:${id}/${stage.StageName}/${httpMethod}${path}`;
  }

  #log({ status, body }: HttpAnswer, request: GatewayRequest, variables: Variables): void {
    const format = this.#api.stage.AccessLogSetting?.Format;
    if (format !== undefined) {
      const responseLatency = this.#clock.now() - request.receivedAt;
      const responseLength = Buffer.byteLength(body);
      this.accessLog.add(render(format, { ...variables, status, responseLatency, responseLength }, '-'));
    }
  }
}
