/** Terminal sessions as the terminal service keeps them, and as it shows them (docs/viva.md, "Sessions"). */
import type { Timer } from '../../clock.ts';
import type { Card } from '../books/cards.ts';
import type { Transaction } from '../books/transactions.ts';

export interface Session {
  readonly sessionId: string;
  readonly merchantId: string;
  readonly terminalId: string;
  readonly cashRegisterId: string;
  readonly amount: number;
  readonly currencyCode: string;
  readonly merchantReference: string;
  readonly customerTrns: string;
  readonly tipAmount: number;
  readonly installments: number;
  /** The sale this session refunds. */
  readonly parentSessionId: string | null;
  readonly isvDetails: Readonly<Record<string, unknown>> | null;
  readonly isvAmount: number;
  readonly openedMs: number;
  /** What the terminal will do. Cancelled when the session ends. */
  readonly timers: Timer[];
  outcome: SessionOutcome | null;
  abortedMs: number | null;
}

export interface SessionOutcome {
  readonly success: boolean;
  /** 0 for success, else the terminal service's reason. */
  readonly eventId: number;
  /** The issuer's reason. */
  readonly transactionEventId: number | null;
  readonly message: string;
  readonly transaction: Transaction | null;
  readonly card: Card | null;
}

/** The terminal gives up waiting for a card. */
export const CARD_WAIT_MS = 60_000;

export class Sessions {
  readonly #all: Session[] = [];
  /** Two sessions can have one id (switch `duplicateSession`). Then the later one is read. */
  readonly #byId = new Map<string, Session>();

  add(session: Session): void {
    this.#all.push(session);
    this.#byId.set(session.sessionId, session);
  }

  find(sessionId: string): Session | undefined {
    return this.#byId.get(sessionId);
  }

  /** The session that occupies a terminal while it waits for a card. */
  openOn(terminalId: string, nowMs: number): Session | undefined {
    return this.#all.find(
      (session) =>
        session.terminalId === terminalId && session.outcome === null && nowMs - session.openedMs < CARD_WAIT_MS,
    );
  }

  /** The sessions of a UTC day. */
  ofDay(merchantId: string, day: string): Session[] {
    return this.#all.filter(
      (session) => session.merchantId === merchantId && new Date(session.openedMs).toISOString().startsWith(day),
    );
  }
}

/** The session as it is read. It never has the expiry of the card: that is in the transaction. */
export function sessionView(session: Session, showReason: boolean) {
  const { outcome } = session;
  const transaction = outcome?.transaction ?? null;
  const paid = outcome?.success === true ? transaction : null;
  const card = outcome?.card ?? null;
  return {
    sessionId: session.sessionId,
    terminalId: session.terminalId,
    cashRegisterId: session.cashRegisterId,
    amount: session.amount,
    currencyCode: session.currencyCode,
    merchantReference: session.merchantReference,
    customerTrns: session.customerTrns,
    tipAmount: session.tipAmount,
    success: outcome?.success ?? false,
    eventId: outcome?.eventId ?? 1100,
    transactionEventId: showReason ? (outcome?.transactionEventId ?? null) : null,
    authorizationId: paid?.authorizationId ?? null,
    transactionId: transaction?.transactionId ?? null,
    transactionTypeId: transaction?.typeId ?? null,
    retrievalReferenceNumber: paid?.retrievalReferenceNumber ?? null,
    panEntryMode: card === null ? '00' : '07',
    applicationLabel: card?.brand.toUpperCase() ?? null,
    cardType: card?.brand ?? null,
    primaryAccountNumberMasked: card?.maskedNumber ?? null,
    transactionDateTime: transaction === null ? null : new Date(transaction.atMs).toISOString(),
    aid: card?.aid ?? null,
    bankId: paid === null ? null : 'NET_VISA',
    abortOperation: session.abortedMs !== null,
    abortAckTime: session.abortedMs === null ? null : new Date(session.abortedMs).toISOString(),
    abortSuccess: session.abortedMs !== null && outcome?.success === false,
    verificationMethod: paid === null ? null : 'CONTACTLESS - NO CVM',
    tid: session.terminalId,
    orderCode: transaction?.orderCode ?? '0',
    shortOrderCode: transaction?.orderCode.slice(0, 10) ?? '0',
    installments: session.installments,
    message: outcome?.message ?? 'The session is being processed',
    preauth: false,
    referenceNumber: paid?.referenceNumber ?? 0,
    loyaltyInfo: null,
    dccDetails: null,
    fiscalisationDetails: null,
    ...(session.isvDetails === null ? {} : { isvDetails: session.isvDetails }),
  };
}
