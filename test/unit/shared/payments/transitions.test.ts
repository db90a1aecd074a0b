/**
 * Every transition of a sale, a charge and an RF order from every status to every other, written a second time. The
 * lattices of the code are compared with this table, which is never derived from them.
 */
import { describe, expect, it } from 'vitest';
import type { Charge } from '../../../../shared/payments/items/charge.ts';
import type { RfOrder } from '../../../../shared/payments/items/rf-order.ts';
import type { Sale } from '../../../../shared/payments/items/sale.ts';
import {
  chargeEnded,
  chargeMayBecome,
  chargeStatuses,
  rfOrderEnded,
  rfOrderMayBecome,
  rfOrderStatuses,
  saleMayBecome,
  saleStatuses,
  terminalEnded,
} from '../../../../shared/payments/lifecycle.ts';
import { entry } from '../../../../shared/payments/timeline.ts';
import {
  chargeEndedUnsent,
  chargeTransition,
  rfOrderTransition,
  saleTransition,
} from '../../../../shared/payments/transitions.ts';

type Table = Readonly<Record<string, string>>;

const afterSalePayment = 'paid tokenized refunded reversed';
const saleEnds = 'declined cancelled expired failed';
const sales: Table = {
  created: `awaiting_card unconfirmed ${saleEnds} ${afterSalePayment} needs_review`,
  awaiting_card: `unconfirmed ${saleEnds} ${afterSalePayment} needs_review`,
  unconfirmed: `${saleEnds} ${afterSalePayment} needs_review`,
  declined: `${afterSalePayment} needs_review`,
  cancelled: `${afterSalePayment} needs_review`,
  expired: `${afterSalePayment} needs_review`,
  failed: `${afterSalePayment} needs_review`,
  paid: 'tokenized refunded reversed needs_review',
  tokenized: 'refunded reversed needs_review',
  refunded: 'needs_review',
  reversed: 'needs_review',
};

const made = 'authorized charged captured refunded reversed';
const chargeEnds = 'declined expired cancelled failed';
const charges: Table = {
  created: `requires_authentication processing ${chargeEnds} ${made} needs_review`,
  requires_authentication: `processing ${chargeEnds} ${made} needs_review`,
  processing: `${chargeEnds} ${made} needs_review`,
  declined: `${made} needs_review`,
  expired: `${made} needs_review`,
  cancelled: `${made} needs_review`,
  failed: '', // sealed: no attempt can ever send it
  authorized: 'expired cancelled charged captured refunded reversed needs_review',
  charged: 'refunded reversed needs_review',
  captured: 'refunded reversed needs_review',
  refunded: 'needs_review',
  reversed: 'needs_review',
};

const orders: Table = {
  creating: 'pending expired cancelled failed partially_paid paid reversed needs_review',
  pending: 'expired cancelled failed partially_paid paid reversed needs_review',
  expired: 'partially_paid paid reversed needs_review',
  cancelled: 'partially_paid paid reversed needs_review',
  failed: 'partially_paid paid reversed needs_review',
  partially_paid: 'paid reversed needs_review',
  paid: 'reversed needs_review',
  reversed: 'needs_review',
};

interface Lattice {
  readonly kind: string;
  readonly table: Table;
  readonly statuses: readonly string[];
  readonly mayBecome: (from: string, to: string, before?: string) => boolean;
  /** The transition of an item as a patch, or undefined. */
  readonly moved: (from: string, to: string, before?: string) => Moved | undefined;
  readonly ended: (status: string) => boolean;
}

interface Moved {
  readonly status?: string | undefined;
  readonly statusBeforeReview?: string | undefined;
  readonly failure?: unknown;
  readonly outbox?: unknown;
}

const AT = Date.parse('2026-11-21T10:00:00Z');
const moment = entry(AT, 'something.happened');

function item(status: string, statusBeforeReview: string | undefined): object {
  return { status, statusBeforeReview, saleId: 's', chargeId: 'c', rfOrderId: 'r', revision: 1, timeline: [] };
}

const lattices: readonly Lattice[] = [
  {
    kind: 'sale',
    table: sales,
    statuses: saleStatuses,
    mayBecome: saleMayBecome as Lattice['mayBecome'],
    moved: (from, to, before) => saleTransition(item(from, before) as Sale, to as Sale['status'], {}, moment),
    ended: terminalEnded as Lattice['ended'],
  },
  {
    kind: 'charge',
    table: charges,
    statuses: chargeStatuses,
    mayBecome: chargeMayBecome as Lattice['mayBecome'],
    moved: (from, to, before) => chargeTransition(item(from, before) as Charge, to as Charge['status'], {}, moment),
    ended: chargeEnded as Lattice['ended'],
  },
  {
    kind: 'RF order',
    table: orders,
    statuses: rfOrderStatuses,
    mayBecome: rfOrderMayBecome as Lattice['mayBecome'],
    moved: (from, to, before) => rfOrderTransition(item(from, before) as RfOrder, to as RfOrder['status'], {}, moment),
    ended: rfOrderEnded as Lattice['ended'],
  },
];

const words = (text = '') => text.split(' ').filter(Boolean);

/** A review is left for the status before it, or for a status that can follow that one. */
function fromReview({ table }: Lattice, before: string): string[] {
  return [before, ...words(table[before])].filter((to) => to !== 'needs_review');
}

describe.each(lattices)('a $kind', (lattice) => {
  const { statuses, table, mayBecome, moved, ended } = lattice;
  const entered = Object.keys(table).filter((from) => words(table[from]).includes('needs_review'));
  const rows: [string, string | undefined, string[]][] = [
    ...Object.keys(table).map((from): [string, undefined, string[]] => [from, undefined, words(table[from])]),
    ...entered.map((before): [string, string, string[]] => ['needs_review', before, fromReview(lattice, before)]),
    ['needs_review', undefined, Object.keys(table)],
  ];

  it('has the statuses of this table', () => {
    expect(statuses.toSorted()).toEqual([...Object.keys(table), 'needs_review'].toSorted());
  });

  it.each(rows)('with status %s (before: %s) may become %j and nothing else', (from, before, allowed) => {
    expect(statuses.filter((to) => mayBecome(from, to, before)).toSorted()).toEqual(allowed.toSorted());
  });

  it.each(rows)('with status %s (before: %s) has patches for these statuses only', (from, before, allowed) => {
    for (const to of statuses) {
      const patch = moved(from, to, before);
      expect(patch?.status, `${from} to ${to}`).toBe(allowed.includes(to) ? to : undefined);
      expect(patch === undefined, `${from} to ${to}`).toBe(!allowed.includes(to));
    }
  });

  it('keeps the status before a review, and only during the review', () => {
    for (const from of entered) {
      expect(moved(from, 'needs_review')?.statusBeforeReview).toBe(from);
      for (const to of fromReview(lattice, from)) {
        const patch = moved('needs_review', to, from);
        expect(patch).toHaveProperty('statusBeforeReview', undefined);
      }
    }
  });

  it('publishes each end and nothing else, and removes the former failure', () => {
    for (const [from, before, allowed] of rows) {
      for (const to of allowed) {
        const patch = moved(from, to, before);
        // A bank transfer is published as paid once: a review that ends with its former status publishes nothing.
        const isPublished = ended(to) && !(lattice.kind === 'RF order' && to === before);
        expect(patch?.outbox !== undefined, `${from} to ${to}`).toBe(isPublished);
        expect(patch).toHaveProperty('failure', undefined);
      }
    }
  });
});

describe('an ended item', () => {
  it('is a sale with any status except those that wait for the terminal', () => {
    expect(saleStatuses.filter(terminalEnded).toSorted()).toEqual(
      words(`${saleEnds} ${afterSalePayment} needs_review`).toSorted(),
    );
  });

  it('is a charge with any status except those that wait, and a hold', () => {
    const ends = words(`${chargeEnds} charged captured refunded reversed needs_review`);
    expect(chargeStatuses.filter(chargeEnded).toSorted()).toEqual(ends.toSorted());
  });

  it('is an RF order with any status except those that can still be paid', () => {
    const ends = words('expired cancelled failed paid reversed needs_review');
    expect(rfOrderStatuses.filter(rfOrderEnded).toSorted()).toEqual(ends.toSorted());
  });
});

describe('a transition with several timeline entries', () => {
  const later = entry(AT + 1_000, 'something.ended');

  it('keeps them all, and is published and due at the time of the last one', () => {
    const at = '2026-11-21T10:00:01.000Z';
    const moves = [
      saleTransition(item('created', undefined) as Sale, 'needs_review', {}, moment, later),
      chargeTransition(item('created', undefined) as Charge, 'needs_review', {}, moment, later),
      rfOrderTransition(item('creating', undefined) as RfOrder, 'needs_review', {}, moment, later),
    ];

    for (const moved of moves) {
      expect(moved).toMatchObject({ timeline: [moment, later], dueAt: at, outbox: [{ at, status: 'needs_review' }] });
    }
    expect(moves[0]).toMatchObject({ reconciledUntil: '2026-11-22T10:00:01.000Z' });
    expect(moves[2]).toMatchObject({ endedAt: at });
  });
});

describe('a reading that waits for a second one', () => {
  const reading = { seen: 'given back 300', at: '2026-11-21T09:59:00.000Z' };
  const read = (status: string) => ({ ...item(status, undefined), reading });

  it('stays when a sale’s card is stored, because the sale is still paid', () => {
    expect(saleTransition(read('paid') as Sale, 'tokenized', {}, moment)).not.toHaveProperty('reading');
  });

  it.each(['paid', 'declined', 'refunded', 'needs_review'] as const)('is removed when a sale becomes %s', (to) => {
    const from = to === 'refunded' || to === 'needs_review' ? 'tokenized' : 'unconfirmed';

    expect(saleTransition(read(from) as Sale, to, {}, moment)).toHaveProperty('reading', undefined);
  });

  it.each(['charged', 'authorized', 'captured', 'expired', 'needs_review'] as const)(
    'is removed when a charge becomes %s',
    (to) => {
      expect(chargeTransition(read('processing') as Charge, to, {}, moment)).toHaveProperty('reading', undefined);
    },
  );
});

describe('a review', () => {
  const dayLater = '2026-11-22T10:00:00.000Z';

  it('may resolve itself for a day, and no longer than it lasts', () => {
    const sale = item('tokenized', undefined) as Sale;
    const charge = item('processing', undefined) as Charge;

    expect(saleTransition(sale, 'needs_review', {}, moment)?.reconciledUntil).toBe(dayLater);
    expect(chargeTransition(charge, 'needs_review', {}, moment)?.reconciledUntil).toBe(dayLater);
    expect(saleTransition(item('needs_review', 'paid') as Sale, 'paid', {}, moment)).toHaveProperty(
      'reconciledUntil',
      undefined,
    );
    expect(chargeTransition(item('needs_review', 'charged') as Charge, 'charged', {}, moment)).toHaveProperty(
      'reconciledUntil',
      undefined,
    );
  });
});

describe('a charge that was never sent', () => {
  const ended = (status: string, change: object, to: 'cancelled' | 'expired' | 'failed' = 'failed') =>
    chargeEndedUnsent(
      { ...item(status, undefined), taskToken: 'token', ...change } as Charge,
      to,
      { code: 'CHARGE_NOT_SENT' },
      moment,
    );

  it.each(['created', 'requires_authentication', 'processing'])(
    'can be ended while it is %s, and is sealed',
    (status) => {
      for (const to of ['cancelled', 'expired', 'failed'] as const) {
        expect(ended(status, {}, to)).toMatchObject({
          status: to,
          sealed: true,
          taskToken: undefined,
          failure: { code: 'CHARGE_NOT_SENT' },
        });
      }
    },
  );

  it.each(['created', 'processing'])('cannot be ended as unsent once it may have been sent (%s)', (status) => {
    expect(ended(status, { sentAt: '2026-11-21T10:00:00.000Z' })).toBeUndefined();
  });

  it.each(chargeStatuses.filter((status) => chargeEnded(status) || status === 'authorized'))(
    'cannot be ended as unsent when it is %s',
    (status) => {
      expect(ended(status, {}, 'cancelled')).toBeUndefined();
    },
  );
});
