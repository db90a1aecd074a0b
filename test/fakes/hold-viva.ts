/**
 * One hold at a platform that fails: a small ledger, and a platform in front of it. Its calls may be lost before or
 * after they are processed, processed late, or answered with an old list. `fault` decides what happens to a call.
 */
import { RejectedError, TransientError, UnknownOutcomeError } from '../../shared/flow/errors.ts';
import type { TransactionRecord, Viva } from '../../shared/viva/viva.ts';
import { anyCall, FakeViva, ORDER_CODE, TRANSACTION_ID } from './viva.ts';
import { CHARGE_ID, MERCHANT_ID, type World } from './world.ts';

export type ActFault = 'not_sent' | 'lost_before' | 'lost_after' | 'late' | 'refused' | 'said_no';
export type ReadFault = 'unreadable' | 'reads_failed' | 'wrong_amount' | 'wrong_merchant';

export interface HoldHabits {
  /** The fault of the next call. */
  readonly actFault: () => ActFault | undefined;
  readonly readFault: () => ReadFault | undefined;
  readonly lateSeconds: () => number;
  /** Lists leave out what is younger. */
  readonly lagSeconds: () => number;
  /** Captures carry the reference of the hold. */
  readonly ignoresReference: boolean;
  /** A capture is not in the list of its hold's order: it is in the list of the day, or nowhere. */
  readonly hidesCaptures: 'never' | 'from_order' | 'always';
  /** A second capture of a hold is accepted as well. */
  readonly takesSeveral: boolean;
  /** Reads show the hold as it was at first. */
  readonly isStale: () => boolean;
}

const honest: HoldHabits = {
  actFault: () => undefined,
  readFault: () => undefined,
  lateSeconds: () => 0,
  lagSeconds: () => 0,
  ignoresReference: false,
  hidesCaptures: 'never',
  takesSeveral: false,
  isStale: () => false,
};

/** How long the platform may still process a request that it did not answer: 15 minutes, and one on its way. */
const LATEST_MS = 16 * 60_000;

interface Child extends TransactionRecord {
  readonly at: number;
}

export class HoldViva extends FakeViva {
  /** F: it stands; C: captured; X: released. */
  status = 'F';
  /** The captures and voids. */
  readonly children: Child[] = [];
  /** Requests that were sent while an earlier one might still have been processed. */
  hasty = 0;
  readonly #sent: { readonly at: number; isOpen: boolean }[] = [];
  readonly #late: { readonly at: number; readonly act: () => void }[] = [];
  readonly #world: World;
  readonly #habits: HoldHabits;
  readonly #amount: number;

  constructor(world: World, habits: Partial<HoldHabits> = {}, amount = 4000) {
    super({
      capture: (request) => this.#act(() => this.#capture(request.amount, request.merchantTrns)),
      voidPreauth: (request) => this.#act(() => this.#void(request.merchantTrns)),
      readTransaction: async () => ({ record: this.#read(), call: anyCall }),
      listOrderTransactions: async () => ({ records: this.#list('order'), call: anyCall }),
      listDay: async () => ({ records: this.#list('day'), unreadable: [], call: anyCall }),
    } satisfies Partial<Viva>);
    this.#world = world;
    this.#habits = { ...honest, ...habits };
    this.#amount = amount;
  }

  get captures(): readonly Child[] {
    return this.children.filter(({ transactionTypeId }) => transactionTypeId === 0);
  }

  /** When the next late request is processed; it is processed once the world's clock is there. */
  get nextLate(): number {
    return Math.min(...this.#late.map(({ at }) => at));
  }

  processLate(): void {
    for (const late of this.#late.filter(({ at }) => at <= this.#world.at)) {
      this.#late.splice(this.#late.indexOf(late), 1);
      late.act();
    }
  }

  async #act(process: () => string | undefined): Promise<{ transactionId: string; call: typeof anyCall }> {
    const { at } = this.#world;
    this.hasty += this.#sent.some((one) => one.isOpen && at < one.at + LATEST_MS) ? 1 : 0;
    const sent = { at, isOpen: true };
    this.#sent.push(sent);
    await Promise.resolve(); // Other calls may run meanwhile.
    const fault = this.#habits.actFault();
    sent.isOpen = fault === 'lost_before' || fault === 'lost_after' || fault === 'late';
    if (fault === 'not_sent') {
      throw new TransientError('NOT_SENT', 'refused');
    }
    if (fault === 'refused') {
      throw new RejectedError('CAPTURE_REFUSED', 'no', { context: { platformStatus: 403 } });
    }
    if (fault === 'said_no') {
      throw new UnknownOutcomeError('NOT_OPEN', 'no', { context: { platformCode: '403' } });
    }
    if (fault === 'late') {
      this.#late.push({ at: this.#world.at + this.#habits.lateSeconds() * 1000, act: () => void process() });
    }
    const transactionId = fault === 'lost_before' || fault === 'late' ? '' : process();
    if (fault !== undefined) {
      throw new UnknownOutcomeError('NO_ANSWER', fault);
    }
    if (transactionId === undefined) {
      throw new UnknownOutcomeError('SAID_TO_BE_DONE', 'not open');
    }
    return { transactionId, call: anyCall };
  }

  #capture(amount: number, merchantTrns: string): string | undefined {
    const taken = this.captures.reduce((sum, one) => sum + one.amount, 0);
    const isOpen = this.status === 'F' || (this.status === 'C' && this.#habits.takesSeveral);
    if (!isOpen || taken + amount > this.#amount) {
      return undefined;
    }
    this.status = 'C';
    return this.#add(0, amount, this.#habits.ignoresReference ? CHARGE_ID : merchantTrns);
  }

  #void(merchantTrns: string): string | undefined {
    if (this.status !== 'F') {
      return undefined;
    }
    this.status = 'X';
    return this.#add(7, this.#amount, merchantTrns);
  }

  #add(transactionTypeId: number, amount: number, merchantTrns: string): string {
    const transactionId = `child-${this.children.length + 1}`;
    const at = this.#world.at;
    this.children.push({
      ...this.#hold,
      transactionId,
      parentId: TRANSACTION_ID,
      transactionTypeId,
      amount,
      merchantTrns,
      at,
    });
    return transactionId;
  }

  get #hold(): TransactionRecord {
    return {
      transactionId: TRANSACTION_ID,
      amount: this.#amount,
      currency: 'EUR',
      merchantId: MERCHANT_ID,
      statusId: 'F',
      transactionTypeId: 1,
      orderCode: ORDER_CODE,
      merchantTrns: CHARGE_ID,
    };
  }

  #read(): TransactionRecord {
    const statusId = this.#habits.isStale() ? 'F' : this.status;
    return this.#spoiled([{ ...this.#hold, statusId }])[0] as TransactionRecord;
  }

  #list(of: 'order' | 'day'): readonly TransactionRecord[] {
    if (this.#habits.isStale()) {
      return [this.#hold];
    }
    const { hidesCaptures, lagSeconds } = this.#habits;
    const shownUntil = this.#world.at - lagSeconds() * 1000;
    const isHidden = ({ transactionTypeId }: Child) =>
      transactionTypeId === 0 && (hidesCaptures === 'always' || (hidesCaptures === 'from_order' && of === 'order'));
    const shown = this.children.filter((child) => child.at <= shownUntil && !isHidden(child));
    return this.#spoiled([{ ...this.#hold, statusId: this.status }, ...shown]);
  }

  #spoiled(records: readonly TransactionRecord[]): readonly TransactionRecord[] {
    switch (this.#habits.readFault()) {
      case 'unreadable':
        throw new TransientError('NO_ANSWER', 'lost');
      case 'reads_failed':
        return records.map((record) => ({ ...record, statusId: record.statusId === 'F' ? 'E' : record.statusId }));
      case 'wrong_amount':
        return records.map((record) => ({ ...record, amount: record.amount + 100 }));
      case 'wrong_merchant':
        return records.map((record) => ({ ...record, merchantId: '00000000-0000-4000-8000-000000000000' }));
      default:
        return records;
    }
  }
}
