/**
 * One HTTP exchange with the platform: it is logged, then a fault may strike it, then an endpoint answers it. Only this
 * file ends a connection without an answer.
 */

import type { EndpointEnv } from '../routes/routes.ts';
import { later, type Simulator } from '../simulator.ts';
import { shownCaller } from './access.ts';
import { answer, correlationId } from './answers.ts';
import { lied, spoil } from './fault-answers.ts';
import { FAULTS, type Fault } from './faults.ts';
import { hiding } from './lies.ts';
import type { Host, LoggedRequest } from './requests.ts';

export type Endpoints = (request: Request, env: EndpointEnv) => Response | Promise<Response>;

/** Undefined: the connection ends without an answer. `signal` aborts when the caller disconnects. */
export async function exchange(
  sim: Simulator,
  host: Host,
  endpoints: Endpoints,
  request: Request,
  signal: AbortSignal,
): Promise<Response | undefined> {
  const bodyText = await request.clone().text();
  const url = new URL(request.url);
  const caller = shownCaller(sim, request, bodyText);
  const entry = sim.requests.add({
    at: new Date(sim.clock.now()).toISOString(),
    host,
    method: request.method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    credentialSet: caller.set,
    merchantId: caller.merchantId,
    bodyText,
    status: null,
    eventId: null,
    fault: null,
  });
  const struck = (fault: Fault): boolean => {
    const strikes = sim.faults.strike(fault);
    entry.fault = strikes ? fault.name : entry.fault;
    return strikes;
  };
  const response = await underFaults(sim, entry, struck, signal, (env) => endpoints(request.clone(), env));
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

/** Applies the oldest fault that has something to change. Only reads are processed more than once. */
async function underFaults(
  sim: Simulator,
  subject: LoggedRequest,
  struck: (fault: Fault) => boolean,
  signal: AbortSignal,
  process: Process,
): Promise<Response | undefined> {
  let response: Response | undefined;
  for (const fault of sim.faults.ofRequest(subject)) {
    switch (FAULTS[fault.name].stage) {
      case 'before':
        if (response === undefined && struck(fault)) {
          return answerUnprocessed(sim, fault, process);
        }
        break;
      case 'read': {
        const { hides, found } = hiding(fault, sim.clock.now());
        const read = await process({ hides });
        if (found.length > 0 && struck(fault)) {
          return read;
        }
        break;
      }
      case 'told': {
        response ??= await process({});
        const lie = await lied(fault, response, subject.path);
        if (lie !== undefined && struck(fault)) {
          return lie;
        }
        break;
      }
      case 'after':
        response ??= await process({});
        if (struck(fault)) {
          return afterwards(sim, fault, response, signal);
        }
        break;
      default:
    }
  }
  return response ?? process({});
}

async function afterwards(
  sim: Simulator,
  fault: Fault,
  response: Response,
  signal: AbortSignal,
): Promise<Response | undefined> {
  if (fault.name === 'slow') {
    await sim.clock.sleep((fault.delaySeconds ?? 30) * 1000, signal);
  }
  return spoil(fault, response);
}

/** The answer if the request is not processed, or is processed later. Undefined: the connection ends. */
function answerUnprocessed(sim: Simulator, { name, delaySeconds = 60 }: Fault, process: Process): Response | undefined {
  switch (name) {
    case 'refused':
      return undefined;
    case 'late_commit':
      later(sim, delaySeconds * 1000, () => void sim.clock.track(Promise.resolve(process({}))));
      return answer(undefined, { status: 504 });
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
