/** The terminal service: reads, lists and aborts sessions. */
import { bearerCaller, type Caller } from '../http/access.ts';
import { answer, ecrRefusal } from '../http/answers.ts';
import { queryOf } from '../http/input.ts';
import type { Simulator } from '../simulator.ts';
import { abort } from '../terminals/card-presence.ts';
import { type Session, sessionView } from '../terminals/sessions.ts';
import { ECR_BASES, ECR_EVENT_ID } from './ecr-common.ts';
import { newRoutes, type Routes } from './routes.ts';

export function ecrSessionRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  for (const [base, set] of ECR_BASES) {
    app.get(`${base}/sessions`, (c) => listSessions(sim, bearerCaller(sim, c.req.raw, set), c.req.raw));
    app.get(`${base}/sessions/:id`, (c) => {
      const caller = bearerCaller(sim, c.req.raw, set);
      const [id = '', verb] = c.req.param('id').split(':');
      if (verb === 'abort' && sim.switches.get('abortVerb') === 'get') {
        return abortSession(sim, caller, id, c.req.raw);
      }
      return readSession(sim, findSession(sim, caller, c.req.param('id')));
    });
    app.delete(`${base}/sessions/:id`, (c) => {
      const caller = bearerCaller(sim, c.req.raw, set);
      return sim.switches.get('abortVerb') === 'delete'
        ? abortSession(sim, caller, c.req.param('id'), c.req.raw)
        : answer(undefined, { status: 405 });
    });
  }
  return app;
}

function findSession(sim: Simulator, caller: Caller, sessionId: string): Session {
  const session = sim.books.sessions.find(sessionId);
  if (session === undefined || !mayRead(sim, caller, session)) {
    throw ecrRefusal(404, ECR_EVENT_ID.notFound, 'The session was not found');
  }
  return session;
}

function mayRead(sim: Simulator, { account }: Caller, session: Session): boolean {
  return account === undefined
    ? sim.accounts.find(session.merchantId)?.mode === 'isv'
    : session.merchantId === account.merchantId;
}

function readSession(sim: Simulator, session: Session): Response {
  if (session.outcome === null && sim.switches.get('pendingSession') === 'http202') {
    return answer({ detail: 'The session is being processed' }, { status: 202, eventId: ECR_EVENT_ID.unfinished });
  }
  return answer(view(sim, session), { eventId: ECR_EVENT_ID.returned });
}

function abortSession(sim: Simulator, caller: Caller, sessionId: string, raw: Request): Response {
  const register = queryOf(sim, raw, 'cashRegisterId');
  if (!register) {
    throw ecrRefusal(400, ECR_EVENT_ID.invalid, 'The request failed validation: cashRegisterId');
  }
  const session = findSession(sim, caller, sessionId);
  if (session.cashRegisterId !== register) {
    throw ecrRefusal(403, ECR_EVENT_ID.wrongRegister, 'Another cash register opened the session');
  }
  if (session.abortedMs !== null) {
    throw ecrRefusal(409, ECR_EVENT_ID.alreadyAborted, 'The session is already aborted');
  }
  if (session.outcome !== null) {
    throw ecrRefusal(409, ECR_EVENT_ID.unfinished, 'The session can no longer be aborted');
  }
  abort(sim, session);
  return answer(undefined, { eventId: ECR_EVENT_ID.abortAccepted });
}

function listSessions(sim: Simulator, caller: Caller, raw: Request): Response {
  const day = queryOf(sim, raw, 'date') ?? new Date(sim.clock.now()).toISOString().slice(0, 10);
  const accounts =
    caller.account === undefined ? sim.accounts.all.filter(({ mode }) => mode === 'isv') : [caller.account];
  const sessions = accounts.flatMap(({ merchantId }) => sim.books.sessions.ofDay(merchantId, day));
  return answer(
    sessions.map((session) => view(sim, session)),
    { eventId: ECR_EVENT_ID.listed },
  );
}

function view(sim: Simulator, session: Session) {
  return sessionView(session, sim.switches.get('sessionTransactionEventId') === 'present');
}
