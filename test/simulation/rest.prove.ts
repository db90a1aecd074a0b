/**
 * What a storefront's request leaves behind when its function died and the request is never repeated: every open item
 * has a due time, and an hour and a half later nothing is open and nothing fails every five minutes.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { isOpen } from '../../shared/payments/due.ts';
import type { Items, Kind } from '../../shared/payments/items.ts';
import { type Json, Till } from './till.ts';

const till = new Till();
const { merchantId } = till.merchant;
const LONG_SECONDS = 90 * 60;
const LATELY_MS = 30 * 60_000;

beforeEach(() => till.reset());

const post = (path: string, body?: object) => till.api('POST', path, body, { key: randomUUID() });
const terminalIs = (mode: string) => till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { mode });

interface Story {
  readonly name: string;
  /** Before the function is to die. Resolves to what the request is about. */
  readonly prepare: () => Promise<string>;
  readonly ask: (id: string) => Promise<unknown>;
  /** The calls of the function, including its last one. */
  readonly calls: number;
}

const stories: readonly Story[] = [
  {
    name: 'create-sale',
    prepare: async () => '',
    ask: () => post('/sales', till.saleOf({ additionalCharge: { amount: 4000 } })),
    calls: 6,
  },
  {
    name: 'store-card',
    prepare: async () => {
      await terminalIs('auto');
      return (await till.sell({ tokenize: false })).transactionId;
    },
    ask: (transactionId) => post('/cards', { merchantId, transactionId }),
    calls: 4,
  },
  {
    name: 'abort-sale',
    prepare: async () => {
      await till.pass(LONG_SECONDS); // The earlier sale has left the terminal.
      await terminalIs('manual');
      const { saleId } = await till.startSale({ additionalCharge: { amount: 4000 } });
      await till.until(`/sales/${saleId}`, ({ status }) => status === 'awaiting_card');
      return saleId;
    },
    ask: (saleId) => till.api('POST', `/sales/${saleId}/abort`),
    calls: 5,
  },
  {
    name: 'request-capture',
    prepare: async () => {
      await terminalIs('auto');
      const { saleId } = await till.startSale({ additionalCharge: { amount: 4000, preauth: true } });
      const held = ({ additionalCharge }: Json) => additionalCharge.status === 'authorized';
      return (await till.until(`/sales/${saleId}`, held)).additionalCharge.chargeId;
    },
    ask: (chargeId) => post(`/charges/${chargeId}/capture`, { amount: 3000 }),
    calls: 5,
  },
];

async function openItems(): Promise<Json[]> {
  const items = (await till.items()).map((item) => ({ ...item, kind: item.pk.slice(0, item.pk.indexOf('#')) as Kind }));
  return items.filter(({ kind, ...item }) => kind !== 'account' && isOpen(kind, item as Items[Kind]));
}

/** Temporary failures have stopped by then; what fails every five minutes has not. */
async function latestErrors(): Promise<string[]> {
  const { now } = await till.control('GET', '/_sim/clock');
  const { lines } = await till.control('GET', '/_cloud/logs');
  return lines
    .filter(({ at, message }: Json) => Date.parse(at) > Date.parse(now) - LATELY_MS && message.level === 'ERROR')
    .map(({ functionName, message }: Json) => `${functionName} ${message.code}`);
}

/** A hold stands until it is captured or its time is over. */
function stands({ kind, status }: Json): boolean {
  return kind === 'charge' && status === 'authorized';
}

describe.each(stories)('$name', ({ name, prepare, ask, calls }) => {
  it(`leaves no open item without a due time when it dies after any of its ${calls} calls, and everything comes to rest`, async () => {
    for (let afterCall = 0; afterCall <= calls; afterCall++) {
      await askOnce(afterCall);

      expect(await till.deaths(name), `deaths after call ${afterCall}`).toBe(afterCall + 1);
      expect((await openItems()).filter(({ dueAt }) => dueAt === undefined)).toEqual([]);
    }
    await till.pass(LONG_SECONDS);

    expect((await openItems()).filter((item) => !stands(item))).toEqual([]);
    expect(await latestErrors()).toEqual([]);
    expect(await disagreements()).toEqual([]);
  }, 120_000);

  it(`makes ${calls} calls and no more`, async () => {
    await askOnce(calls + 1);

    expect(await till.deaths(name)).toBe(0);
  });

  async function askOnce(afterCall: number): Promise<void> {
    const id = await prepare();
    await till.pass(1); // Steps that still run would write the same item, and the request would read it again.
    await till.kill(name, afterCall);
    await ask(id);
  }
});

/** Sales and charges that contradict the ledger. */
async function disagreements(): Promise<string[]> {
  const { entries } = await till.control('GET', '/_sim/ledger');
  const booked = new Set(entries.map(({ kind, transactionId }: Json) => `${kind} ${transactionId}`));
  const shownPayments = (await till.items()).flatMap(({ pk, status, transactionId }) => {
    const made = /^(paid|tokenized)$/.test(status) ? 'sale' : status === 'authorized' ? 'preauth' : 'charge';
    const says = /^(paid|tokenized|charged|authorized)$/.test(status) && /^(sale|charge)#/.test(pk);
    return says ? [`${made} ${transactionId}`] : [];
  });
  const paid = [...booked].filter((one) => /^(sale|charge) /.test(one as string));
  return [
    ...shownPayments.filter((one) => !booked.has(one)),
    ...paid.filter((one) => !shownPayments.includes(one as string)),
  ] as string[];
}
