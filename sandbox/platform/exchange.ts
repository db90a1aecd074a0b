/**
 * One HTTP exchange with the platform: it is logged, a fault may strike it, and only then an endpoint sees it. Also the
 * only place that ends a connection without an answer.
 */
import { shownCredentialSet } from './access.ts';
import { answer, correlationId } from './answers.ts';
import { spoil } from './fault-answers.ts';
import { FAULTS, type Fault } from './faults.ts';
import type { Host } from './requests.ts';
import type { EndpointEnv } from './routes/routes.ts';
import { later, type Simulator } from './simulator.ts';

export type Endpoints = (request: Request, env: EndpointEnv) => Response | Promise<Response>;

/** Undefined: the connection ends without an answer. `signal` aborts when the caller leaves. */
export async function exchange(
  sim: Simulator,
  host: Host,
  endpoints: Endpoints,
  request: Request,
  signal: AbortSignal,
): Promise<Response | undefined> {
  const bodyText = await request.clone().text();
  const url = new URL(request.url);
  const entry = sim.requests.add({
    at: new Date(sim.clock.now()).toISOString(),
    host,
    method: request.method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    credentialSet: shownCredentialSet(sim, request, bodyText),
    bodyText,
    status: null,
    eventId: null,
    fault: null,
  });
  const fault = sim.faults.strikeRequest({ host, method: request.method, path: url.pathname });
  entry.fault = fault?.name ?? null;
  const response = await underFault(sim, fault, signal, (env) => endpoints(request, env));
  await Promise.all(sim.early.splice(0));
  if (response === undefined || signal.aborted) {
    return undefined;
  }
  const eventId = response.headers.get('X-Viva-EventId') ?? '0';
  entry.status = response.status;
  entry.eventId = Number(eventId);
  response.headers.set('X-Viva-EventId', eventId);
  response.headers.set('X-Viva-CorrelationId', correlationId(sim));
  return response;
}

type Process = (env: EndpointEnv) => Response | Promise<Response>;

async function underFault(
  sim: Simulator,
  fault: Fault | undefined,
  signal: AbortSignal,
  process: Process,
): Promise<Response | undefined> {
  if (fault === undefined) {
    return process({});
  }
  const delayMs = (seconds: number) => (fault.delaySeconds ?? seconds) * 1000;
  switch (FAULTS[fault.name].stage) {
    case 'read':
      return process({ listLagMs: delayMs(60) });
    case 'after': {
      const response = await process({});
      if (fault.name === 'slow') {
        await sim.clock.sleep(delayMs(30), signal);
      }
      return spoil(fault.name, response);
    }
    default:
      break;
  }
  switch (fault.name) {
    case 'refused':
      return undefined;
    case 'late_commit':
      later(sim, delayMs(60), () => void sim.clock.track(Promise.resolve(process({}))));
      return answer(undefined, { status: 504 });
    default:
      return unprocessed(fault);
  }
}

/** The answer of a platform that refuses to look at the request. */
function unprocessed({ name }: Fault): Response {
  switch (name) {
    case 'too_many_requests': {
      const response = answer(undefined, { status: 429 });
      response.headers.set('Retry-After', '1');
      return response;
    }
    case 'unauthorized_once':
      return answer(undefined, { status: 401 });
    case 'forbidden':
      return answer(undefined, { status: 403 });
    case 'not_visible':
      return answer(undefined, { status: 404 });
    case 'token_endpoint_error':
      return answer(undefined, { status: 503 });
    case 'ecr_busy':
      return answer({ status: 503, detail: 'The server is busy' }, { status: 503, eventId: 1400 });
    default:
      return answer(undefined, { status: 500 });
  }
}
