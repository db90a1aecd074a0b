/**
 * What happens at the terminal once a session is open: the payer presents a card or does not, and the session ends
 * once.
 */

import { type CardName, declineEventIdOf, presentCard } from '../books/cards.ts';
import { decline, giveBack, type PaymentDraft, pay } from '../books/money.ts';
import { later, type Simulator } from '../simulator.ts';
import { sendSessionWebhook } from '../webhooks/webhooks.ts';
import { CARD_WAIT_MS, type Session, type SessionOutcome } from './sessions.ts';
import type { Terminal } from './terminals.ts';

const LIMIT_EXCEEDED = 10065;
/** Seconds until the platform reverses a payment that the terminal did not confirm. */
const REVERSED_AFTER_SECONDS = 1;

const REASONS: Readonly<Record<number, string>> = {
  1000: 'The transaction was cancelled by the user',
  1001: 'The payment application is busy',
  1003: 'The terminal timed out',
  1006: 'The transaction was declined by the server',
  1007: 'The transaction was declined by the card',
  1016: 'The transaction was aborted',
  1100: 'A request is already in progress',
  5002: 'The terminal cannot pre-authorize',
  6000: 'The request parameters are wrong',
};

/** Opens a session. The terminal acts on it as its mode says. */
export function openSession(sim: Simulator, session: Session, terminal: Terminal): void {
  const busy =
    terminal.mode === 'busy' ? 1001 : sim.books.sessions.openOn(terminal.terminalId, sim.clock.now()) && 1100;
  sim.books.sessions.add(session);
  const soon = (delayMs: number, work: () => void) => session.timers.push(later(sim, delayMs, work));
  if (busy) {
    soon(0, () => fail(sim, session, busy));
  } else if (terminal.mode !== 'offline') {
    if (terminal.mode === 'auto') {
      soon(Math.min(terminal.delayMs, CARD_WAIT_MS), () => present(sim, session, terminal.card));
    }
    soon(CARD_WAIT_MS, () => fail(sim, session, 1003));
  }
}

/** The card is read. After this the session cannot be aborted. `amount`: what the issuer approves, in minor units. */
export function present(sim: Simulator, session: Session, name: CardName, amount = session.amount): void {
  if (session.outcome !== null) {
    return;
  }
  const card = presentCard(name, sim.clock.now());
  const account = sim.accounts.find(session.merchantId);
  if (account === undefined) {
    return;
  }
  const draft: PaymentDraft = {
    account,
    card,
    amount,
    tipAmount: session.tipAmount,
    isvAmount: session.isvAmount,
    merchantTrns: session.merchantReference,
    customerTrns: session.customerTrns,
    customer: { fullname: card.holderName },
    installments: session.installments,
    terminalId: session.terminalId,
    sessionId: session.sessionId,
  };
  const declineEventId = declineEventIdOf(amount);
  if (declineEventId !== undefined) {
    declinePresented(sim, session, draft, declineEventId);
    return;
  }
  if (sim.switches.get('contactlessLimit') === 'second_try') {
    decline(sim, draft, false, LIMIT_EXCEEDED);
  }
  const sale = sim.books.sessions.find(session.parentSessionId ?? '')?.outcome?.transaction;
  const transaction = sale ? giveBack(sim, 'refund', sale, draft) : pay(sim, 'sale', draft);
  finish(sim, session, {
    success: true,
    eventId: 0,
    transactionEventId: 0,
    message: 'Transaction successful',
    transaction,
    card,
  });
}

/** The issuer declines the card. */
export function refuse(sim: Simulator, session: Session, name: CardName, issuerEventId: number): void {
  const account = sim.accounts.find(session.merchantId);
  if (session.outcome === null && account !== undefined) {
    const card = presentCard(name, sim.clock.now());
    const { amount, merchantReference: merchantTrns, terminalId, sessionId } = session;
    declinePresented(sim, session, { account, card, amount, merchantTrns, terminalId, sessionId }, issuerEventId);
  }
}

/** Ends a session without a payment. */
export function fail(sim: Simulator, session: Session, eventId: number): void {
  const message = REASONS[eventId] ?? 'Generic transaction error';
  finish(sim, session, { success: false, eventId, transactionEventId: null, message, transaction: null, card: null });
}

/** Asks the terminal to stop. A terminal that is offline does not receive it. */
export function abort(sim: Simulator, session: Session): void {
  session.abortedMs = sim.clock.now();
  if (sim.terminals.find(session.terminalId)?.mode !== 'offline') {
    fail(sim, session, 1016);
  }
}

/** Approves a payment. Later the platform gives back what is left of it. */
export function approveThenReverse(
  sim: Simulator,
  session: Session,
  name: CardName,
  delaySeconds = REVERSED_AFTER_SECONDS,
): void {
  present(sim, session, name);
  const transaction = session.outcome?.transaction;
  const account = sim.accounts.find(session.merchantId);
  if (session.outcome?.success === true && transaction && account) {
    const { merchantTrns } = transaction;
    later(sim, delaySeconds * 1000, () => {
      const amount = transaction.amount - transaction.returnedAmount;
      if (amount > 0) {
        giveBack(sim, 'reversal', transaction, { account, amount, merchantTrns });
      }
    });
  }
}

function declinePresented(sim: Simulator, session: Session, draft: PaymentDraft, issuerEventId: number): void {
  const transaction = decline(sim, draft, false, issuerEventId);
  finish(sim, session, {
    success: false,
    eventId: 1006,
    transactionEventId: issuerEventId,
    message: REASONS[1006] ?? '',
    transaction,
    card: draft.card ?? null,
  });
}

/** A session ends once. */
function finish(sim: Simulator, session: Session, outcome: SessionOutcome): void {
  if (session.outcome === null) {
    session.outcome = outcome;
    for (const timer of session.timers) {
      timer.cancel();
    }
    sendSessionWebhook(sim, session);
  }
}
