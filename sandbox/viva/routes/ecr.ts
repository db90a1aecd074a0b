/**
 * The terminal service: payments and refunds on a terminal. An ISV names the merchant of the terminal in isvDetails.
 */
import * as z from 'zod';
import type { Account } from '../books/accounts.ts';
import { bearerCaller, type Caller, connectedAccount } from '../http/access.ts';
import { answer, ecrRefusal } from '../http/answers.ts';
import { bodyOf, minorUnits, optionalMinorUnits, optionalText } from '../http/input.ts';
import type { Simulator } from '../simulator.ts';
import { fail, openSession } from '../terminals/card-presence.ts';
import type { Session } from '../terminals/sessions.ts';
import { ECR_BASES, ECR_EVENT_ID } from './ecr-common.ts';
import { newRoutes, type Routes } from './routes.ts';

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
  for (const [base, set] of ECR_BASES) {
    app.post(`${base}/:op{transactions:sale}`, async (c) =>
      startSession(sim, bearerCaller(sim, c.req.raw, set), await read(c.req.raw, request), false),
    );
    app.post(`${base}/:op{transactions:refund}`, async (c) =>
      startSession(sim, bearerCaller(sim, c.req.raw, set), await read(c.req.raw, request), true),
    );
    app.post(`${base}/:op{devices:search}`, async (c) =>
      searchDevices(sim, bearerCaller(sim, c.req.raw, set), await read(c.req.raw, search)),
    );
  }
  return app;
}

function read<S extends z.ZodType>(raw: Request, schema: S): Promise<z.output<S>> {
  return bodyOf(raw, schema, (where) =>
    ecrRefusal(400, ECR_EVENT_ID.invalid, `The request failed validation: ${where}`),
  );
}

function startSession(sim: Simulator, caller: Caller, body: EcrRequest, refund: boolean): Response {
  const account = sellerOf(sim, caller, body);
  const terminal = sim.terminals.find(body.terminalId);
  if (terminal?.merchantId !== account.merchantId || body.currencyCode !== account.currencyCode) {
    throw ecrRefusal(400, ECR_EVENT_ID.invalid, 'The request failed validation: terminalId or currencyCode');
  }
  if (sim.books.sessions.find(body.sessionId) !== undefined && sim.switches.get('duplicateSession') === 'conflict') {
    throw ecrRefusal(409, ECR_EVENT_ID.duplicate, 'The session already exists');
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
    // Only the staff of the platform can enable it, and no account here has it.
    fail(sim, session, caller.account === undefined ? 6000 : 5002);
  }
  return answer(undefined, { eventId: ECR_EVENT_ID.created });
}

/** The merchant whose terminal it is. */
function sellerOf(sim: Simulator, caller: Caller, { isvDetails, amount }: EcrRequest): Account {
  if (caller.account !== undefined) {
    return caller.account;
  }
  const fee = isvDetails?.amount ?? 0;
  const feeFits = fee < amount && (fee > 0 || sim.switches.get('ecrIsvAmountZero') === 'accepted');
  if (!isvDetails?.terminalMerchantId || !feeFits) {
    throw ecrRefusal(400, ECR_EVENT_ID.invalid, 'The request failed validation: isvDetails');
  }
  return connectedAccount(sim, isvDetails.terminalMerchantId);
}

function requireParent(sim: Simulator, account: Account, { parentSessionId, amount }: EcrRequest): void {
  const parent = sim.books.sessions.find(parentSessionId ?? '');
  const sale = parent?.merchantId === account.merchantId ? parent.outcome?.transaction : undefined;
  if (!sale || parent?.outcome?.success !== true) {
    throw ecrRefusal(404, ECR_EVENT_ID.noParent, 'The parent session was not found');
  }
  if (amount > sale.amount - sale.returnedAmount) {
    throw ecrRefusal(400, ECR_EVENT_ID.invalid, 'The request failed validation: amount');
  }
}

function searchDevices(sim: Simulator, caller: Caller, body: z.output<typeof search>): Response {
  if (caller.account === undefined && !body.merchantId) {
    throw ecrRefusal(400, ECR_EVENT_ID.invalid, 'The request failed validation: merchantId');
  }
  const account = caller.account ?? connectedAccount(sim, body.merchantId ?? '');
  const devices = account.terminals.map((terminalId) => ({
    terminalId,
    statusId: 1,
    sourceCode: account.sourceCode,
    virtualTerminalId: terminalId,
    ...(caller.account === undefined ? { merchantId: account.merchantId } : {}),
  }));
  return answer(devices, { eventId: ECR_EVENT_ID.devices });
}
