/**
 * A transaction as the two APIs show it: checkout v2 in camelCase, the payment API in PascalCase, both in major units.
 */
import { athensTime } from '../athens.ts';
import { exactNumber, majorUnits } from '../http/json.ts';
import type { Simulator } from '../simulator.ts';
import type { Card } from './cards.ts';
import { BOOKS_MS, type Transaction } from './transactions.ts';

/** The last day of the month in which the card expires, as a date-time without a zone. */
export function expirationDate(card: Card | null): string | null {
  if (card === null || card.expiry === null) {
    return null;
  }
  const { year, month } = card.expiry;
  return `${new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10)}T00:00:00`;
}

export function orderCodeOf(sim: Simulator, orderCode: string): unknown {
  return sim.switches.get('orderCodeType') === 'number' ? exactNumber(orderCode) : orderCode;
}

export function v2View(sim: Simulator, transaction: Transaction) {
  const { card } = transaction;
  return {
    email: transaction.customer.email ?? null,
    bankId: 'NET_VISA',
    amount: majorUnits(transaction.amount),
    conversionRate: exactNumber('1.0'),
    originalAmount: majorUnits(transaction.amount),
    originalCurrencyCode: transaction.currencyCode,
    switching: false,
    orderCode: orderCodeOf(sim, transaction.orderCode),
    statusId: transaction.statusId,
    fullName: transaction.customer.fullname ?? null,
    insDate: athensTime(transaction.atMs),
    cardNumber: card?.maskedNumber ?? null,
    sourceCode: transaction.sourceCode,
    currencyCode: transaction.currencyCode,
    customerTrns: transaction.customerTrns,
    merchantTrns: transaction.merchantTrns,
    transactionTypeId: transaction.typeId,
    recurringSupport: transaction.allowsRecurring,
    totalInstallments: transaction.installments,
    currentInstallment: 0,
    cardCountryCode: card === null ? null : 'GR',
    cardIssuingBank: card?.issuingBank ?? null,
    cardUniqueReference: card?.uniqueReference ?? null,
    cardTypeId: card?.cardTypeId ?? null,
    digitalWalletId: card?.digitalWalletId ?? null,
    ...(sim.switches.get('v2Expiry') === 'present' ? { cardExpirationDate: expirationDate(card) } : {}),
    eventId: transaction.eventId,
    loyaltyTransactions: [],
  };
}

export function legacyView(sim: Simulator, transaction: Transaction) {
  const { card } = transaction;
  return {
    Fee: majorUnits(0),
    BankId: 'NET_VISA',
    ParentId: transaction.parentId,
    Switching: false,
    Amount: majorUnits(transaction.amount),
    StatusId: transaction.statusId,
    ChannelId: null,
    MerchantId: transaction.merchantId,
    ResellerId: sim.accounts.find(transaction.merchantId)?.mode === 'isv' ? sim.accounts.isv.resellerId : null,
    InsDate: athensTime(transaction.atMs),
    CreatedBy: null,
    TipAmount: majorUnits(transaction.tipAmount),
    SourceCode: transaction.sourceCode,
    TransactionId: transaction.transactionId,
    Commission: majorUnits(isCalculated(sim, transaction) ? transaction.commission : 0),
    PanEntryMode: transaction.terminalId === null ? '01' : '07',
    MerchantTrns: transaction.merchantTrns,
    CurrencyCode: transaction.currencyCode,
    CustomerTrns: transaction.customerTrns,
    IsManualRefund: false,
    AcquirerApproved: transaction.statusId !== 'E',
    SourceTerminalId: transaction.terminalId === null ? null : Number(transaction.terminalId),
    AuthorizationId: transaction.authorizationId,
    TotalInstallments: transaction.installments,
    CurrentInstallment: 0,
    ClearanceDate: null,
    RetrievalReferenceNumber: transaction.retrievalReferenceNumber,
    DigitalWalletId: card?.digitalWalletId ?? null,
    CardUniqueReference: card?.uniqueReference ?? null,
    Order: {
      OrderCode: orderCodeOf(sim, transaction.orderCode),
      ChannelId: null,
      ResellerId: null,
      SourceCode: transaction.sourceCode,
      Tags: null,
      RequestLang: 'el-GR',
    },
    Payment: {
      Email: transaction.customer.email ?? null,
      Phone: transaction.customer.phone ?? null,
      FullName: transaction.customer.fullname ?? null,
      Installments: transaction.installments,
      RecurringSupport: transaction.allowsRecurring,
    },
    TransactionType: { Name: TYPE_NAMES[transaction.typeId] ?? 'Other', TransactionTypeId: transaction.typeId },
    CreditCard: card === null ? null : creditCard(card),
  };
}

function isCalculated(sim: Simulator, { atMs }: Transaction): boolean {
  return sim.clock.now() >= atMs + BOOKS_MS;
}

function creditCard(card: Card) {
  return {
    Token: null,
    Number: card.maskedNumber,
    CountryCode: 'GR',
    IssuingBank: card.issuingBank,
    CardHolderName: card.holderName,
    ExpirationDate: expirationDate(card),
    CardUniqueReference: card.uniqueReference,
    CardType: { Name: card.brand, CardTypeId: card.cardTypeId },
  };
}

const TYPE_NAMES: Readonly<Record<number, string>> = {
  0: 'CardCapture',
  1: 'CardPreAuth',
  4: 'CardRefund',
  5: 'CardCharge',
  6: 'CardCharge',
  7: 'CardVoid',
  15: 'Dias',
};
