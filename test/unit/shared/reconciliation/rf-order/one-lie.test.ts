/** Lives of RF orders in which exactly one answer of the platform is false or late. */
import { describe, expect, it } from 'vitest';
import { type Lie, lied, type RfBank } from '../../../../fakes/rf-bank.ts';
import { lies } from './lies.ts';
import { RfLife } from './life.ts';

const DAY = 86_400;
interface Story {
  readonly of?: object;
  readonly lagMs?: number;
  /** What payers and banks do: seconds after the creation of the order, the amount, and when how much of it is returned. */
  readonly transfers: readonly (readonly [
    at: number,
    amount: number,
    ...returns: readonly [at: number, of: number][],
  ])[];
  readonly withWebhooks: boolean;
  readonly becomes: object;
}

const open = { disableExactAmount: true };
const stories: Readonly<Record<string, Omit<Story, 'withWebhooks'>>> = {
  'an exact order that is not paid': { transfers: [], becomes: { status: 'expired', amountPaid: 0, payments: [] } },
  'an open order that is not paid': { of: open, transfers: [], becomes: { status: 'expired', amountPaid: 0 } },
  'an exact order that is paid': {
    transfers: [[3_000, 4200]],
    becomes: { status: 'paid', amountPaid: 4200, overpaid: false, late: false, commission: 42 },
  },
  'an open order that is paid': {
    of: open,
    transfers: [[3_000, 4200]],
    becomes: { status: 'paid', amountPaid: 4200, overpaid: false, late: false, commission: 42 },
  },
  'an exact order whose payment is listed late': {
    lagMs: 119_000,
    transfers: [[5 * DAY - 30, 4200]],
    becomes: { status: 'paid', amountPaid: 4200, late: false },
  },
  'an exact order that is paid twice': {
    transfers: [
      [3_000, 4200],
      [90_000, 4200],
    ],
    becomes: { status: 'paid', amountPaid: 8400, overpaid: true },
  },
  'an open order that is paid in parts': {
    of: open,
    transfers: [
      [3_000, 1000],
      [3_100, 1500],
      [90_000, 1700],
    ],
    becomes: { status: 'paid', amountPaid: 4200, overpaid: false },
  },
  'an open order that is paid in part': {
    of: open,
    lagMs: 30_000,
    transfers: [[3_000, 1000]],
    becomes: { status: 'needs_review', failure: { code: 'RF_UNDERPAID' }, amountPaid: 1000 },
  },
  'an open order that is overpaid': {
    of: open,
    transfers: [[3_000, 4300]],
    becomes: { status: 'paid', amountPaid: 4300, overpaid: true },
  },
  'an open order that is overpaid, with the excess returned': {
    of: open,
    transfers: [[3_000, 4300, [90_000, 50]]],
    becomes: { status: 'paid', amountPaid: 4250, overpaid: true, payments: [{ amount: 4300, returned: 50 }] },
  },
  'an exact order whose payment is returned': {
    lagMs: 60_000,
    transfers: [[3_000, 4200, [90_000, 4200]]],
    becomes: { status: 'reversed', amountPaid: 0, payments: [{ returned: 4200, reversed: true }] },
  },
  'an exact order whose payment is returned at once': {
    transfers: [[3_000, 4200, [3_001, 4200]]],
    becomes: { status: 'reversed', amountPaid: 0 },
  },
  'an open order whose payment is returned in parts': {
    of: open,
    transfers: [[3_000, 4200, [90_000, 1200], [95_000, 3000]]],
    becomes: { status: 'reversed', amountPaid: 0, payments: [{ returned: 4200, reversed: true }] },
  },
  'an exact order that is paid late': {
    lagMs: 119_000,
    transfers: [[6 * DAY, 4200]],
    becomes: { status: 'paid', amountPaid: 4200, late: true },
  },
  'an open order that is paid late': {
    of: open,
    transfers: [
      [2 * DAY, 1000],
      [7 * DAY, 3200],
    ],
    becomes: { status: 'paid', amountPaid: 4200, late: true },
  },
  'an exact order whose payment is returned weeks later': {
    transfers: [[3_000, 4200, [20 * DAY, 4200]]],
    becomes: { status: 'reversed', amountPaid: 0 },
  },
};

/** Starts the life of a new order with everything that is going to happen. */
function begun(story: Story, ordered: RfLife, lie?: { readonly at: number; readonly what: Lie }): RfLife {
  const life = ordered.again();
  const { bank } = life;
  bank.lagMs = story.lagMs ?? 0;
  bank.lieAt = lie?.at;
  bank.lie = lie?.what ?? {};
  const deliver = (at: number, type: number, named: object) =>
    story.withWebhooks && life.later(at, () => life.deliver(type, { subject: life.id, ...named }));
  for (const [at, amount, ...returns] of story.transfers) {
    life.later(at, () => {
      const payment = bank.transfer(life.bankOrder, amount);
      const { transactionId } = payment;
      deliver(at + 0.1, 1796, { transactionId });
      deliver(at + 0.4, 1799, { transactionId });
      for (const [backAt, of] of returns) {
        life.later(backAt, () => {
          const back = bank.giveBack(payment, of);
          deliver(backAt + 0.1, 1797, { transactionId: back.transactionId });
        });
      }
    });
  }
  return life;
}

async function facts(life: RfLife) {
  const { payments, readings, status, failure, amountPaid, overpaid, late, commission, reconciledUntil } =
    await life.item();
  return {
    ...{ status, failure, amountPaid, overpaid, late, commission, reconciledUntil, readings },
    payments: payments.map(({ transactionId, amount, returned, reversed, commission: share, at }) => {
      return { transactionId, amount, returned, reversed, share, at };
    }),
    forgotten: life.forgotten(),
    new: life.newMessages(),
  };
}

type Facts = Awaited<ReturnType<typeof facts>>;

const DAYS = 70;

/** Returns the facts at the end of each day. */
async function trueLife(life: RfLife): Promise<readonly Facts[]> {
  const days: Facts[] = [];
  for (let day = 1; day <= DAYS; day++) {
    await life.live(day);
    days.push(await facts(life));
  }
  return days;
}

/** Runs until a day from which on all is as it would be without the false answer; the rest of the life is then the same. */
async function recovered(life: RfLife, days: readonly Facts[]): Promise<Facts> {
  const { bank } = life;
  let seen = await facts(life);
  for (const [n, truth] of days.entries()) {
    await life.live(n + 1);
    seen = await facts(life);
    const isQuiet = bank.reads.length > (bank.lieAt ?? 0) && seen.readings === undefined && seen.new === 0;
    if (isQuiet && JSON.stringify(seen) === JSON.stringify(truth)) {
      return days.at(-1) ?? seen;
    }
  }
  return seen;
}

describe.each(Object.entries(stories))('%s', (_, story) => {
  it.each([
    ['with webhooks', true],
    ['without webhooks', false],
  ])('%s, reaches the same end whichever answer is false', { timeout: 60_000 }, async (_, withWebhooks) => {
    const ordered = new RfLife();
    await ordered.order({ merchantTrns: 'room 12', ...story.of });
    const truth = begun({ ...story, withWebhooks }, ordered);
    const days = await trueLife(truth);
    const end = days.at(-1);
    expect(end).toMatchObject(story.becomes);
    expect(end).toMatchObject({ forgotten: [], new: 0, readings: undefined, amountPaid: truth.bank.net() });
    expect((await truth.item()).dueAt).toBeUndefined();

    for (const [name, what] of Object.entries(lies)) {
      for (const at of struckBy(what, truth.bank)) {
        const life = begun({ ...story, withWebhooks }, ordered, { at, what });
        const after = await recovered(life, days);
        const where = `read ${at} of ${truth.bank.reads.length} tells of ${name}: ${JSON.stringify(life.published)}`;
        expect(after, where).toEqual(end);
        checkPublished(life, where);
      }
    }
  });
});

/**
 * Returns the numbers of the reads that the lie changes. Of many equal answers in a row it takes some at the beginning
 * and at the end; those in between have the same effect.
 */
function struckBy(lie: Lie, { reads }: RfBank): readonly number[] {
  const answers = reads.map(({ kind, truth }) => JSON.stringify([kind, truth]));
  const sameAs = (n: number, by: number) => answers.slice(0, n).filter((one) => one === answers[n]).length >= by;
  return reads.flatMap(({ kind, truth }, n) => {
    const isFalse = lie === 'outage' || JSON.stringify(lied(lie, kind, truth)) !== JSON.stringify(truth);
    const isLast = !answers.slice(n + 1).includes(answers[n] ?? '');
    return isFalse && (isLast || !sameAs(n, 2)) ? [n] : [];
  });
}

/** Checks that no payment was published that is not in the ledger, and none twice. */
function checkPublished({ published }: RfLife, where: string): void {
  expect(published.filter(({ status }) => status === 'paid').length, where).toBeLessThanOrEqual(1);
  expect(
    published.filter(({ status, gross }) => status === 'paid' && gross < 4200),
    where,
  ).toEqual([]);
}
