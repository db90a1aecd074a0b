/**
 * Everything that moves or holds money. Each function makes one transaction and one ledger entry together. Nothing else
 * appends to the ledger.
 */

import type { Simulator } from '../simulator.ts';
import { sendFailureWebhook, sendPaymentWebhooks, sendReversalWebhooks } from '../webhooks/webhooks.ts';
import type { Account } from './accounts.ts';
import type { Card } from './cards.ts';
import type { LedgerEntry, LedgerKind } from './ledger.ts';
import { newOrderCode } from './order-code.ts';
import { type StatusId, TRANSACTION_TYPE, type Transaction } from './transactions.ts';

/** Kinds that give money, or a hold, back. */
const BACK: readonly LedgerKind[] = ['void', 'refund', 'reversal', 'rf_return'];

/** The platform's share of what was paid. */
const COMMISSION_RATE = 0.012;
const KEPT_OF: readonly number[] = [
  TRANSACTION_TYPE.capture,
  TRANSACTION_TYPE.charge,
  TRANSACTION_TYPE.chargeWithInstallments,
  TRANSACTION_TYPE.bankTransfer,
];

/** What the caller of a payment decides. The platform makes everything else of a transaction. */
export interface PaymentDraft {
  readonly account: Account;
  readonly amount: number;
  readonly isvAmount?: number;
  readonly tipAmount?: number;
  readonly merchantTrns?: string;
  readonly customerTrns?: string;
  readonly customer?: Transaction['customer'];
  readonly installments?: number;
  readonly allowsRecurring?: boolean;
  readonly card?: Card | null;
  readonly orderCode?: string;
  readonly sourceCode?: string;
  readonly terminalId?: string;
  readonly sessionId?: string;
  readonly parentId?: string;
}

export function pay(sim: Simulator, kind: 'sale' | 'charge' | 'rf_credit', draft: PaymentDraft): Transaction {
  const typeId =
    kind === 'rf_credit'
      ? TRANSACTION_TYPE.bankTransfer
      : (draft.installments ?? 0) > 1
        ? TRANSACTION_TYPE.chargeWithInstallments
        : TRANSACTION_TYPE.charge;
  return book(sim, kind, 'success', record(sim, draft, { typeId, statusId: 'F' }));
}

export function hold(sim: Simulator, draft: PaymentDraft): Transaction {
  return book(sim, 'preauth', 'held', record(sim, draft, { typeId: TRANSACTION_TYPE.preauth, statusId: 'F' }));
}

/** A failed attempt: a transaction without an entry in the ledger. */
export function decline(sim: Simulator, draft: PaymentDraft, preauth: boolean, eventId: number): Transaction {
  const typeId = preauth ? TRANSACTION_TYPE.preauth : TRANSACTION_TYPE.charge;
  const failed = record(sim, draft, { typeId, statusId: 'E', eventId });
  sendFailureWebhook(sim, failed);
  return failed;
}

export function capture(sim: Simulator, preauth: Transaction, draft: PaymentDraft): Transaction {
  preauth.statusId = 'C';
  preauth.capturedAmount += draft.amount;
  const child = record(sim, childOf(preauth, draft), { typeId: TRANSACTION_TYPE.capture, statusId: 'F' });
  return book(sim, 'capture', 'success', child);
}

export function giveBack(
  sim: Simulator,
  kind: 'void' | 'refund' | 'reversal' | 'rf_return',
  parent: Transaction,
  draft: PaymentDraft,
): Transaction {
  const typeId = kind === 'refund' || kind === 'rf_return' ? TRANSACTION_TYPE.refund : TRANSACTION_TYPE.void;
  const wasHold = parent.typeId === TRANSACTION_TYPE.preauth;
  parent.statusId = kind === 'refund' || kind === 'rf_return' ? 'R' : 'X';
  parent.returnedAmount += draft.amount;
  return book(
    sim,
    kind,
    wasHold ? 'released' : 'success',
    record(sim, childOf(parent, draft), { typeId, statusId: 'F' }),
  );
}

function childOf(parent: Transaction, draft: PaymentDraft): PaymentDraft {
  const { card, orderCode, sourceCode, terminalId, sessionId, transactionId, customer, customerTrns } = parent;
  return {
    card,
    orderCode,
    sourceCode,
    customer,
    customerTrns,
    ...(terminalId === null ? {} : { terminalId }),
    ...(sessionId === null ? {} : { sessionId }),
    ...draft,
    parentId: transactionId,
  };
}

function record(
  sim: Simulator,
  draft: PaymentDraft,
  { typeId, statusId, eventId = 0 }: { typeId: number; statusId: StatusId; eventId?: number },
): Transaction {
  const { random } = sim;
  const transaction: Transaction = {
    transactionId: random.uuid(),
    merchantId: draft.account.merchantId,
    typeId,
    parentId: draft.parentId ?? null,
    statusId,
    atMs: sim.clock.now(),
    amount: draft.amount,
    isvAmount: draft.isvAmount ?? 0,
    tipAmount: draft.tipAmount ?? 0,
    commission: eventId === 0 && KEPT_OF.includes(typeId) ? Math.round(draft.amount * COMMISSION_RATE) : 0,
    currencyCode: draft.account.currencyCode,
    orderCode: draft.orderCode ?? newOrderCode(sim),
    sourceCode: draft.sourceCode ?? draft.account.sourceCode,
    terminalId: draft.terminalId ?? null,
    sessionId: draft.sessionId ?? null,
    merchantTrns: draft.merchantTrns ?? '',
    customerTrns: draft.customerTrns ?? '',
    customer: draft.customer ?? {},
    installments: draft.installments ?? 0,
    allowsRecurring: draft.allowsRecurring ?? false,
    card: draft.card ?? null,
    authorizationId: eventId === 0 ? random.digits(6) : null,
    retrievalReferenceNumber: random.digits(12),
    referenceNumber: Number(random.digits(6)),
    eventId,
    capturedAmount: 0,
    returnedAmount: 0,
  };
  sim.books.transactions.add(transaction);
  return transaction;
}

function book(sim: Simulator, kind: LedgerKind, status: LedgerEntry['status'], transaction: Transaction): Transaction {
  const { transactionId, parentId, merchantId, terminalId, sessionId, orderCode, amount, isvAmount, merchantTrns } =
    transaction;
  sim.books.ledger.append({
    at: new Date(transaction.atMs).toISOString(),
    kind,
    transactionId,
    parentId,
    merchantId,
    terminalId,
    sessionId,
    orderCode,
    amount,
    isvAmount,
    currency: 'EUR',
    merchantTrns,
    status,
  });
  if (BACK.includes(kind)) {
    sendReversalWebhooks(sim, transaction, status === 'released');
  } else {
    sendPaymentWebhooks(sim, transaction);
  }
  return transaction;
}
