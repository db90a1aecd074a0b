/**
 * EventData of each type of webhook, with the spellings, units and number types of the documented samples
 * (docs/viva.md, "Webhooks").
 */
import { athensLocal } from '../athens.ts';
import type { Order } from '../books/orders.ts';
import { expirationDate, orderCodeOf } from '../books/transaction-views.ts';
import { TRANSACTION_TYPE, type Transaction } from '../books/transactions.ts';
import { exactNumber, majorUnits } from '../http/json.ts';
import type { Simulator } from '../simulator.ts';
import { type Session, sessionView } from '../terminals/sessions.ts';

/** 1796, 1797 and 1798. `sign` is -1 for transactions that give money back. */
export function transactionData(sim: Simulator, transaction: Transaction, sign: 1 | -1 = 1) {
  const { card, customer } = transaction;
  const account = sim.accounts.find(transaction.merchantId);
  const byIsv = account?.mode === 'isv';
  const minor = sim.switches.get('webhookAmountUnit') === 'minor';
  return {
    Moto: false,
    BinId: null,
    IsDcc: false,
    Ucaf: null,
    Email: customer.email ?? null,
    Phone: customer.phone ?? null,
    BankId: 'NET_VISA',
    Systemic: false,
    BatchId: null,
    Switching: false,
    ParentId: transaction.parentId,
    Amount: minor ? sign * transaction.amount : majorUnits(sign * transaction.amount),
    ChannelId: null,
    TerminalId: transaction.terminalId === null ? 0 : Number(transaction.terminalId),
    MerchantId: transaction.merchantId,
    OrderCode: orderCodeOf(sim, transaction.orderCode),
    ProductId: null,
    StatusId: transaction.statusId,
    FullName: customer.fullname ?? null,
    ResellerId: byIsv ? sim.accounts.isv.resellerId : null,
    DualMessage: false,
    InsDate: athensLocal(transaction.atMs),
    TotalFee: majorUnits(0),
    CardUniqueReference: card?.uniqueReference ?? null,
    CardToken: null,
    CardNumber: card?.maskedNumber ?? null,
    Descriptor: null,
    TipAmount: majorUnits(transaction.tipAmount),
    SourceCode: transaction.sourceCode,
    SourceName: 'Default',
    CompanyName: 'Sandbox',
    TransactionId: transaction.transactionId,
    CompanyTitle: 'Sandbox',
    PanEntryMode: transaction.terminalId === null ? '01' : '07',
    ReferenceNumber: transaction.referenceNumber,
    ResponseCode: transaction.eventId === 0 ? '00' : String(transaction.eventId % 100).padStart(2, '0'),
    CurrencyCode: transaction.currencyCode,
    OrderCulture: 'el-GR',
    MerchantTrns: transaction.merchantTrns,
    CustomerTrns: transaction.customerTrns,
    IsManualRefund: false,
    AcquirerApproved: transaction.eventId === 0,
    LoyaltyTriggered: false,
    TransactionTypeId: transaction.typeId,
    AuthorizationId: transaction.authorizationId,
    TotalInstallments: transaction.installments,
    CardCountryCode: card === null ? null : 'GR',
    CardIssuingBank: card?.issuingBank ?? null,
    RedeemedAmount: majorUnits(0),
    ClearanceDate: null,
    ConversionRate: exactNumber('1.0'),
    CurrentInstallment: 0,
    OriginalAmount: majorUnits(transaction.amount),
    Tags: [],
    ConnectedAccountId: byIsv ? transaction.merchantId : null,
    OriginalCurrencyCode: transaction.currencyCode,
    CardExpirationDate: expirationDate(card),
    RetrievalReferenceNumber: transaction.retrievalReferenceNumber,
    AssignedMerchantUsers: [],
    AssignedResellerUsers: [],
    CardTypeId: card?.cardTypeId ?? null,
    ResponseEventId: transaction.eventId === 0 ? null : transaction.eventId,
    ElectronicCommerceIndicator: '0',
    DigitalWalletId: card?.digitalWalletId ?? null,
  };
}

/** 1799: the commission is known. */
export function priceData(sim: Simulator, transaction: Transaction) {
  const byIsv = sim.accounts.find(transaction.merchantId)?.mode === 'isv';
  return {
    OrderCode: orderCodeOf(sim, transaction.orderCode),
    MerchantId: transaction.merchantId,
    IsvFee: majorUnits(transaction.isvAmount),
    ResellerId: byIsv ? sim.accounts.isv.resellerId : null,
    SourceCode: transaction.sourceCode,
    SourceName: 'Default',
    TransactionId: transaction.transactionId,
    CurrencyCode: transaction.currencyCode,
    Interchange: majorUnits(0),
    TotalCommission: majorUnits(transaction.commission),
    ResellerSourceCode: null,
    ResellerSourceName: null,
  };
}

/** 2054: an account movement. It names neither order nor merchant. */
export function accountTransactionData(sim: Simulator, transaction: Transaction, sign: 1 | -1 = 1) {
  const byBank = transaction.typeId === TRANSACTION_TYPE.bankTransfer;
  const hideSale = byBank && sim.switches.get('rfSaleTransactionId') === 'null';
  return {
    Tag: byBank ? 'DIAS' : 'CLEARANCE',
    Iban: null,
    PersonId: sim.accounts.find(transaction.merchantId)?.personId ?? null,
    WalletId: exactNumber(sim.random.digits(12).replace(/^0*/, '9').padEnd(13, '0')),
    BankId: null,
    ParentId: null,
    Amount: majorUnits(sign * transaction.amount),
    IsInternal: false,
    StatusId: 'F',
    Created: athensLocal(sim.clock.now()),
    CardNumber: transaction.card?.maskedNumber ?? null,
    Description: transaction.customerTrns,
    ValueDate: athensLocal(sim.clock.now()),
    BankAccountId: null,
    CurrencyCode: transaction.currencyCode,
    SaleTransactionId: hideSale ? null : transaction.transactionId,
    WalletTransactionId: sim.random.uuid(),
    InternalDescription: null,
    TypeId: sign === 1 ? 1 : 2,
    SubTypeId: byBank ? 21 : 80,
  };
}

/** 1802 and 1803: the session in PascalCase, with minor units and the order code as text. */
export function sessionData(session: Session) {
  const view = { ...sessionView(session, true), merchantId: session.merchantId };
  return Object.fromEntries(
    Object.entries(view).map(([name, value]) => [`${name[0]?.toUpperCase()}${name.slice(1)}`, value]),
  );
}

/** 4865. */
export function orderData(sim: Simulator, order: Order) {
  return { OrderCode: orderCodeOf(sim, order.orderCode), IsCancelled: order.isCanceled };
}
