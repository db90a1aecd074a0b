/** The terminal service: `/ecr/v1` for merchants, `/ecr/isv/v1` for ISVs, who name the terminal's merchant in isvDetails. */
import * as z from 'zod';
import { bearerCaller, type Caller, connectedAccount } from '../access.ts';
import type { Account } from '../accounts.ts';
import { answer, ecrRefusal } from '../answers.ts';
import { abort, fail, openSession } from '../card-presence.ts';
import { bodyOf, minorUnits, optionalMinorUnits, optionalText, queryOf } from '../input.ts';
import { type Session, sessionView } from '../sessions.ts';
import type { Simulator } from '../simulator.ts';
import { newRoutes, type Routes } from './routes.ts';

/** Header events: the terminal service's own result, not the payment's. */
const EVENT = {
  created: 1100,
  returned: 1102,
  listed: 1103,
  abortAccepted: 1104,
  devices: 1106,
  invalid: 1200,
  duplicate: 1201,
  noParent: 1203,
  unfinished: 1204,
  notFound: 1205,
  wrongRegister: 1206,
  alreadyAborted: 1208,
};
const MIN_AMOUNT = 30;

const request = z.looseObject({
  sessionId: z.string().min(1),
  terminalId: z.string().min(1),
  cashRegisterId: z.string().min(1),
  amount: minorUnits.min(MIN_AMOUNT),
  currencyCode: z.string().regex(/^\d{3}$/),
  merchantReference: optionalText,
  customerTrns: optionalText,
  tipAmount: optionalMinorUnits,
  maxInstalments: optionalMinorUnits,
  preauth: z.boolean().nullish(),
  parentSessionId: optionalText,
  isvDetails: z.looseObject({ amount: optionalMinorUnits, terminalMerchantId: optionalText }).nullish(),
});
type EcrRequest = z.output<typeof request>;

const search = z.looseObject({ merchantId: optionalText, sourceCode: optionalText });

export function ecrRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  for (const [base, set] of [
    ['/ecr/v1', 'pos'],
    ['/ecr/isv/v1', 'isv'],
  ] as const) {
    app.post(`${base}/:op{transactions:sale}`, async (c) =>
      startSession(sim, bearerCaller(sim, c.req.raw, set), await read(c.req.raw, request), false),
    );
    app.post(`${base}/:op{transactions:refund}`, async (c) =>
      startSession(sim, bearerCaller(sim, c.req.raw, set), await read(c.req.raw, request), true),
    );
    app.post(`${base}/:op{devices:search}`, async (c) =>
      searchDevices(sim, bearerCaller(sim, c.req.raw, set), await read(c.req.raw, search)),
    );
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

function read<S extends z.ZodType>(raw: Request, schema: S): Promise<z.output<S>> {
  return bodyOf(raw, schema, (where) => ecrRefusal(400, EVENT.invalid, `The request failed validation: ${where}`));
}

function startSession(sim: Simulator, caller: Caller, body: EcrRequest, refund: boolean): Response {
  const account = sellerOf(sim, caller, body);
  const terminal = sim.terminals.find(body.terminalId);
  if (terminal?.merchantId !== account.merchantId || body.currencyCode !== account.currencyCode) {
    throw ecrRefusal(400, EVENT.invalid, 'The request failed validation: terminalId or currencyCode');
  }
  if (sim.books.sessions.find(body.sessionId) !== undefined && sim.switches.get('duplicateSession') === 'conflict') {
    throw ecrRefusal(409, EVENT.duplicate, 'The session already exists');
  }
  if (refund) {
    requireParent(sim, account, body);
  }
  const session: Session = {
    sessionId: body.sessionId,
    merchantId: account.merchantId,
    terminalId: body.terminalId,
    cashRegisterId: body.cashRegisterId,
    amount: body.amount,
    currencyCode: body.currencyCode,
    merchantReference: body.merchantReference ?? '',
    customerTrns: body.customerTrns ?? '',
    tipAmount: body.tipAmount ?? 0,
    installments: body.maxInstalments ?? 0,
    parentSessionId: refund ? (body.parentSessionId ?? null) : null,
    isvDetails: body.isvDetails ?? null,
    isvAmount: body.isvDetails?.amount ?? 0,
    openedMs: sim.clock.now(),
    timers: [],
    outcome: null,
    abortedMs: null,
  };
  openSession(sim, session, terminal);
  if (body.preauth === true) {
    // Enabled by the platform's staff only; no account here has it.
    fail(sim, session, caller.account === undefined ? 6000 : 5002);
  }
  return answer(undefined, { eventId: EVENT.created });
}

/** The merchant whose terminal it is. */
function sellerOf(sim: Simulator, caller: Caller, { isvDetails, amount }: EcrRequest): Account {
  if (caller.account !== undefined) {
    return caller.account;
  }
  const fee = isvDetails?.amount ?? 0;
  const feeFits = fee < amount && (fee > 0 || sim.switches.get('ecrIsvAmountZero') === 'accepted');
  if (!isvDetails?.terminalMerchantId || !feeFits) {
    throw ecrRefusal(400, EVENT.invalid, 'The request failed validation: isvDetails');
  }
  return connectedAccount(sim, isvDetails.terminalMerchantId);
}

function requireParent(sim: Simulator, account: Account, { parentSessionId, amount }: EcrRequest): void {
  const parent = sim.books.sessions.find(parentSessionId ?? '');
  const sale = parent?.merchantId === account.merchantId ? parent.outcome?.transaction : undefined;
  if (!sale || parent?.outcome?.success !== true) {
    throw ecrRefusal(404, EVENT.noParent, 'The parent session was not found');
  }
  if (amount > sale.amount - sale.returnedAmount) {
    throw ecrRefusal(400, EVENT.invalid, 'The request failed validation: amount');
  }
}

function findSession(sim: Simulator, caller: Caller, sessionId: string): Session {
  const session = sim.books.sessions.find(sessionId);
  if (session === undefined || !mayRead(sim, caller, session)) {
    throw ecrRefusal(404, EVENT.notFound, 'The session was not found');
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
    return answer({ detail: 'The session is being processed' }, { status: 202, eventId: EVENT.unfinished });
  }
  return answer(view(sim, session), { eventId: EVENT.returned });
}

function abortSession(sim: Simulator, caller: Caller, sessionId: string, raw: Request): Response {
  const register = queryOf(sim, raw, 'cashRegisterId');
  if (!register) {
    throw ecrRefusal(400, EVENT.invalid, 'The request failed validation: cashRegisterId');
  }
  const session = findSession(sim, caller, sessionId);
  if (session.cashRegisterId !== register) {
    throw ecrRefusal(403, EVENT.wrongRegister, 'Another cash register opened the session');
  }
  if (session.abortedMs !== null) {
    throw ecrRefusal(409, EVENT.alreadyAborted, 'The session is already aborted');
  }
  if (session.outcome !== null) {
    throw ecrRefusal(409, EVENT.unfinished, 'The session can no longer be aborted');
  }
  abort(sim, session);
  return answer(undefined, { eventId: EVENT.abortAccepted });
}

function listSessions(sim: Simulator, caller: Caller, raw: Request): Response {
  const day = queryOf(sim, raw, 'date') ?? new Date(sim.clock.now()).toISOString().slice(0, 10);
  const accounts =
    caller.account === undefined ? sim.accounts.all.filter(({ mode }) => mode === 'isv') : [caller.account];
  const sessions = accounts.flatMap(({ merchantId }) => sim.books.sessions.ofDay(merchantId, day));
  return answer(
    sessions.map((session) => view(sim, session)),
    { eventId: EVENT.listed },
  );
}

function searchDevices(sim: Simulator, caller: Caller, body: z.output<typeof search>): Response {
  if (caller.account === undefined && !body.merchantId) {
    throw ecrRefusal(400, EVENT.invalid, 'The request failed validation: merchantId');
  }
  const account = caller.account ?? connectedAccount(sim, body.merchantId ?? '');
  const devices = account.terminals.map((terminalId) => ({
    terminalId,
    statusId: 1,
    sourceCode: account.sourceCode,
    virtualTerminalId: terminalId,
    ...(caller.account === undefined ? { merchantId: account.merchantId } : {}),
  }));
  return answer(devices, { eventId: EVENT.devices });
}

function view(sim: Simulator, session: Session) {
  return sessionView(session, sim.switches.get('sessionTransactionEventId') === 'present');
}
