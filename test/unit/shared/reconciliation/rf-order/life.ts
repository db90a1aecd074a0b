/**
 * The life of one RF order with everything that reconciles it. Webhooks are received and acted on, and every five
 * minutes the due items are reconciled. Time jumps to the next thing that happens.
 */
import { createRfOrder } from '../../../../../functions/rf-orders/create-rf-order/endpoint.ts';
import { actOnWebhook } from '../../../../../functions/webhooks/act-on-webhook/step.ts';
import { publish } from '../../../../../shared/events/publish.ts';
import { TransientError } from '../../../../../shared/flow/errors.ts';
import { isOpen } from '../../../../../shared/payments/due.ts';
import type { Inbox } from '../../../../../shared/payments/items/inbox.ts';
import type { RfOrder } from '../../../../../shared/payments/items/rf-order.ts';
import { nextDueAt } from '../../../../../shared/reconciliation/next-due.ts';
import { reconcileRfOrder, reconcileRfOrderBy } from '../../../../../shared/reconciliation/rf-order/reconcile.ts';
import { storeWebhook } from '../../../../../shared/webhooks/inbox.ts';
import { MemoryPayments } from '../../../../fakes/payments.ts';
import { type BankOrder, RfBank } from '../../../../fakes/rf-bank.ts';
import { account, call } from '../../../../fakes/storefront.ts';
import { receivedWebhook } from '../../../../fakes/webhooks.ts';
import { MERCHANT_ID } from '../../../../fakes/world.ts';

const START = Date.parse('2026-11-21T09:00:00.000Z');
const RUN_MS = 5 * 60_000;
const CLAIM_MS = 5 * 60_000;
const DAY_MS = 24 * 3_600_000;

export class RfLife {
  now = START;
  readonly payments = new MemoryPayments(() => this.now);
  readonly bank = new RfBank(() => this.now);
  /** The statuses that were published, in order. */
  readonly published: { readonly status: string; readonly gross: number }[] = [];
  id = '';
  #happenings: { readonly at: number; readonly happen: () => Promise<unknown> | unknown }[] = [];
  readonly #deps = {
    payments: this.payments,
    vivaFor: this.bank.viva.for,
    stackId: 'stack-1',
    now: () => this.now,
    remainingMs: () => 24_000,
  };

  async order(change: object = {}): Promise<void> {
    this.payments.put('account', MERCHANT_ID, account({ merchantId: MERCHANT_ID }));
    const { body } = await call(createRfOrder, this.#deps, {
      route: 'POST /rf-orders',
      body: { merchantId: MERCHANT_ID, amount: 4200, currency: 'EUR', ...change },
      headers: { 'Idempotency-Key': 'key-1' },
      merchants: MERCHANT_ID,
    });
    this.id = body.rfOrderId;
  }

  /** Returns a copy of the order that nothing has happened to yet. */
  again(): RfLife {
    const other = new RfLife();
    for (const [pk, item] of this.payments.items) {
      other.payments.items.set(pk, item);
    }
    for (const [code, order] of this.bank.orders) {
      other.bank.orders.set(code, { ...order });
    }
    other.id = this.id;
    return other;
  }

  async item(): Promise<RfOrder> {
    return (await this.payments.get('rf-order', this.id))!;
  }

  get bankOrder(): BankOrder {
    return [...this.bank.orders.values()][0]!;
  }

  /** Runs a function so many seconds after the order was created. */
  later(seconds: number, happen: () => Promise<unknown> | unknown): void {
    this.#happenings.push({ at: START + seconds * 1000, happen });
  }

  /** Delivers a webhook, and acts on its subject if receiving it asks for that. */
  async deliver(eventTypeId: number, body: object = {}): Promise<void> {
    const subject = await storeWebhook(this.payments, receivedWebhook(MERCHANT_ID, { eventTypeId, ...body }), this.now);
    if (subject !== undefined) {
      await this.#act(subject);
    }
  }

  /** Runs until so many days after the order was created. */
  async live(days: number): Promise<void> {
    const end = START + days * DAY_MS;
    for (;;) {
      const due = this.#withDueAt().flatMap(([, { dueAt }]) => (dueAt ? [Date.parse(String(dueAt))] : []));
      const run = Math.max(this.now, Math.ceil(Math.min(...due, end * 2) / RUN_MS) * RUN_MS);
      this.#happenings = this.#happenings.toSorted((a, b) => a.at - b.at);
      const [next] = this.#happenings;
      const at = Math.min(run, next?.at ?? run);
      if (at > end) {
        this.now = end;
        return;
      }
      this.now = Math.max(this.now, at);
      if (next !== undefined && next.at <= run) {
        this.#happenings.shift();
        await next.happen();
      } else {
        await this.#reconcile();
      }
    }
  }

  /** Reconciles the order by the lists of these days, counted from its creation, as read-daily-lists does. */
  async readDailyLists(days: readonly number[]): Promise<void> {
    const isOf = (at: number) => days.includes(Math.floor((at - START) / DAY_MS));
    const listed = this.bank.booked.filter(({ at }) => isOf(at) && at + this.bank.lagMs <= this.now);
    const records = listed.map(({ record }) => record);
    await reconcileRfOrderBy(await this.item(), records, this.#deps);
    await this.#publish();
  }

  /** Returns the keys of open items that are never due again. */
  forgotten(): string[] {
    return this.#withDueAt().flatMap(([pk, item]) =>
      isOpen(pk.split('#')[0] as 'rf-order', item as never) && item['dueAt'] === undefined ? [pk] : [],
    );
  }

  newMessages(): number {
    const inboxes = [...this.payments.items].filter(([pk]) => pk.startsWith('inbox#'));
    return inboxes.flatMap(([, item]) => (item as unknown as Inbox).webhooks).filter(({ state }) => state === 'new')
      .length;
  }

  /** Everything but the account, which another function handles. */
  #withDueAt() {
    return [...this.payments.items].filter(([pk]) => /^(rf-order|inbox)#/.test(pk));
  }

  async #reconcile(): Promise<void> {
    for (const { kind, id } of await this.payments.due(1000)) {
      if (kind === 'inbox') {
        await this.#act(id);
      } else if (kind === 'rf-order') {
        await this.#reconcileOrder();
      }
    }
  }

  async #reconcileOrder(): Promise<void> {
    await this.payments.change('rf-order', this.id, () => ({ dueAt: new Date(this.now + CLAIM_MS).toISOString() }));
    await this.#publish();
    const before = await this.item();
    try {
      const { dueAt } = await reconcileRfOrder(this.id, this.#deps);
      if (dueAt === before.dueAt) {
        await this.payments.change('rf-order', this.id, (item) => ({ dueAt: nextDueAt('rf-order', item, this.now) }));
      }
    } catch (error) {
      if (!(error instanceof TransientError)) {
        throw error;
      }
    }
    await this.#publish();
  }

  async #publish(): Promise<void> {
    const putEvents = async () => {};
    const onPublished = (status: string) => void this.published.push({ status, gross: this.bank.gross() });
    const deps = { payments: this.payments, putEvents, onPublished, now: () => this.now };
    await publish('rf-order', this.id, deps);
  }

  async #act(subject: string): Promise<void> {
    const none = () => Promise.reject(new Error('there is none'));
    await actOnWebhook.run(
      { subject },
      {
        ...this.#deps,
        completeTask: none,
        retryTask: none,
        publish: () => this.#publish(),
        count: () => {},
        onError: () => {},
      },
      { remainingMs: () => 24_000 },
    );
  }
}
