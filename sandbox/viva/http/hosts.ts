/** The routes of each origin of the platform. A call on the wrong one is 404. */
import type { Issuer } from '../../issuer.ts';
import { acquiringRoutes } from '../routes/acquiring.ts';
import { challengeRoutes } from '../routes/challenge.ts';
import { ecrRoutes } from '../routes/ecr.ts';
import { ecrSessionRoutes } from '../routes/ecr-sessions.ts';
import { legacyActRoutes } from '../routes/legacy-acts.ts';
import { legacyOrderRoutes } from '../routes/legacy-orders.ts';
import { legacyReadRoutes } from '../routes/legacy-reads.ts';
import { nativeRoutes } from '../routes/native.ts';
import { orderRoutes } from '../routes/orders.ts';
import { paymentSessionRoutes } from '../routes/payment-sessions.ts';
import { newRoutes, type Routes } from '../routes/routes.ts';
import { transactionRoutes } from '../routes/transactions.ts';
import { isvWebhookRoutes, merchantWebhookRoutes } from '../routes/webhook-settings.ts';
import type { Simulator } from '../simulator.ts';
import { answer, Refusal } from './answers.ts';
import type { Endpoints } from './exchange.ts';

export function apiRoutes(sim: Simulator): Routes {
  return together(
    ecrRoutes(sim),
    ecrSessionRoutes(sim),
    transactionRoutes(sim),
    acquiringRoutes(sim),
    nativeRoutes(sim),
    orderRoutes(sim),
    isvWebhookRoutes(sim),
  );
}

export function baseRoutes(sim: Simulator): Routes {
  return together(
    legacyReadRoutes(sim),
    legacyActRoutes(sim),
    legacyOrderRoutes(sim),
    paymentSessionRoutes(sim),
    merchantWebhookRoutes(sim),
    challengeRoutes(sim),
  );
}

export function endpointsOf(app: Routes): Endpoints {
  app.notFound(() => answer(undefined, { status: 404 }));
  app.onError((error) => {
    if (error instanceof Refusal) {
      return error.response;
    }
    throw error;
  });
  return (request, env) => app.fetch(request, env);
}

/** The identity server is behind its origin, so that faults and the log see its requests, too. */
export async function relay(issuer: Issuer, request: Request): Promise<Response> {
  const { pathname, search, host } = new URL(request.url);
  const headers = new Headers(request.headers);
  for (const name of ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'accept-encoding']) {
    headers.delete(name);
  }
  headers.set('X-Forwarded-Host', host);
  headers.set('X-Forwarded-Proto', 'http');
  const body = request.method === 'GET' || request.method === 'HEAD' ? null : await request.text();
  const response = await fetch(`${issuer.localUrl}${pathname}${search}`, {
    method: request.method,
    headers,
    body,
    redirect: 'manual',
  });
  const { status } = response;
  const kept = [...response.headers].filter(
    ([name]) => !['connection', 'keep-alive', 'transfer-encoding', 'content-length'].includes(name),
  );
  return new Response(status === 204 || status === 304 ? null : await response.arrayBuffer(), {
    status,
    headers: kept,
  });
}

function together(...parts: Routes[]): Routes {
  const app = newRoutes();
  for (const part of parts) {
    app.route('/', part);
  }
  return app;
}
