/** A merchant with a sale and a charge in progress, a clock that a test advances, and the dependencies of every step. */
import type { Account } from '../../shared/payments/items/account.ts';
import type { Charge } from '../../shared/payments/items/charge.ts';
import type { Sale } from '../../shared/payments/items/sale.ts';
import type { NewItem } from '../../shared/payments/store.ts';
import { MemoryPayments } from './payments.ts';
import { MemoryTokens } from './tokens.ts';

export const MERCHANT_ID = '0b9f4a52-6d0e-4c53-8f1c-6a3f0d3c9a77';
export const SALE_ID = '7e6c1f8e-5b0f-8c57-9a53-0a1b6f2f7f10';
export const CHARGE_ID = '7e6c1f8e-5b0f-8c57-9a53-0a1b6f2f7f20';
export const TERMINAL_ID = '16001369';
const START = Date.parse('2026-11-21T10:00:00Z');

export class World {
  at = START;
  readonly now = () => this.at;
  readonly payments = new MemoryPayments(this.now);
  readonly tokens = new MemoryTokens(this.now);
  readonly completed: string[] = [];
  readonly invocation = { remainingMs: () => 20_000 };

  constructor() {
    this.payments.put('account', MERCHANT_ID, account);
    this.payments.put('terminal-lease', `${MERCHANT_ID}#${TERMINAL_ID}`, {
      terminalId: TERMINAL_ID,
      merchantId: MERCHANT_ID,
      saleId: SALE_ID,
      leasedAt: new Date(START).toISOString(),
      leasedUntil: new Date(START + 300_000).toISOString(),
    });
  }

  readonly sleep = async (ms: number) => {
    this.at += ms;
  };

  readonly completeTask = async (taskToken: string) => {
    this.completed.push(taskToken);
  };

  seconds(seconds: number): string {
    return new Date(START + seconds * 1000).toISOString();
  }

  putSale(sale: Partial<NewItem<'sale'>> = {}): void {
    this.payments.put('sale', SALE_ID, { ...newSale, ...sale });
  }

  putCharge(charge: Partial<NewItem<'charge'>> = {}): void {
    this.payments.put('charge', CHARGE_ID, { ...newCharge, ...charge });
  }

  async sale(): Promise<Sale> {
    return (await this.payments.get('sale', SALE_ID))!;
  }

  async charge(): Promise<Charge> {
    return (await this.payments.get('charge', CHARGE_ID))!;
  }

  async leasedUntil(): Promise<string | undefined> {
    return (await this.payments.get('terminal-lease', `${MERCHANT_ID}#${TERMINAL_ID}`))?.leasedUntil;
  }
}

const account: NewItem<'account'> = {
  merchantId: MERCHANT_ID,
  mode: 'merchant',
  country: 'GR',
  currency: 'EUR',
  terminalApi: 'merchant',
  isvCapture: 'reseller',
  terminals: [TERMINAL_ID],
  returnUrls: [],
  captureDays: 5,
  sendSessionRedirectUrl: true,
} satisfies Omit<Account, 'createdAt' | 'updatedAt' | 'revision'>;

const newSale: NewItem<'sale'> = {
  saleId: SALE_ID,
  merchantId: MERCHANT_ID,
  terminalId: TERMINAL_ID,
  cashRegisterId: 'till-1',
  amount: 1500,
  currency: 'EUR',
  tipAmount: 0,
  isvAmount: 0,
  maxInstallments: 0,
  tokenize: true,
  status: 'created',
  sendBefore: new Date(START + 30_000).toISOString(),
  tokenization: { status: 'pending' },
  executionArn: 'arn:aws:states:eu-central-1:000000000000:execution:tillflow-test-payment:one',
  origin: { requestHash: 'hash', answer: '{}' },
  timeline: [],
};

const newCharge: NewItem<'charge'> = {
  chargeId: CHARGE_ID,
  merchantId: MERCHANT_ID,
  saleId: SALE_ID,
  amount: 4000,
  currency: 'EUR',
  preauth: false,
  moto: true,
  installments: 0,
  allowsRecurring: false,
  isvAmount: 0,
  status: 'created',
  authorizedAmount: 0,
  capturedAmount: 0,
  captures: [],
  refunds: [],
  executionArn: 'arn:aws:states:eu-central-1:000000000000:execution:tillflow-test-payment:one',
  timeline: [],
};
