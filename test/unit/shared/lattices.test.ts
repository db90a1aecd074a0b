/**
 * Every move of a sale, a charge and an RF order from every status to every other, written down here once more: what the
 * lattices of the code say is compared with this, never derived from them.
 */
import { describe, expect, it } from 'vitest';
import type { Charge, RfOrder, Sale } from '../../../shared/items.ts';
import {
  chargeEnded,
  chargeMayMove,
  chargeStatuses,
  rfOrderEnded,
  rfOrderMayMove,
  rfOrderStatuses,
  saleMayMove,
  saleStatuses,
  terminalEnded,
} from '../../../shared/lifecycle.ts';
import { chargeMoved, rfOrderMoved, saleMoved } from '../../../shared/moves.ts';
import { entry } from '../../../shared/timeline.ts';

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
  readonly mayMove: (from: string, to: string, before?: string) => boolean;
  /** The move of an item, as a patch, if it is one. */
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
    mayMove: saleMayMove as Lattice['mayMove'],
    moved: (from, to, before) => saleMoved(item(from, before) as Sale, to as Sale['status'], {}, moment),
    ended: terminalEnded as Lattice['ended'],
  },
  {
    kind: 'charge',
    table: charges,
    statuses: chargeStatuses,
    mayMove: chargeMayMove as Lattice['mayMove'],
    moved: (from, to, before) => chargeMoved(item(from, before) as Charge, to as Charge['status'], {}, moment),
    ended: chargeEnded as Lattice['ended'],
  },
  {
    kind: 'RF order',
    table: orders,
    statuses: rfOrderStatuses,
    mayMove: rfOrderMayMove as Lattice['mayMove'],
    moved: (from, to, before) => rfOrderMoved(item(from, before) as RfOrder, to as RfOrder['status'], {}, moment),
    ended: rfOrderEnded as Lattice['ended'],
  },
];

const words = (text = '') => text.split(' ').filter(Boolean);

/** From a review the way is back to the status before it, or as from there: it does not lower the bar. */
function fromReview({ table }: Lattice, before: string): string[] {
  return [before, ...words(table[before])].filter((to) => to !== 'needs_review');
}

describe.each(lattices)('a $kind', (lattice) => {
  const { statuses, table, mayMove, moved, ended } = lattice;
  const entered = Object.keys(table).filter((from) => words(table[from]).includes('needs_review'));
  const rows: [string, string | undefined, string[]][] = [
    ...Object.keys(table).map((from): [string, undefined, string[]] => [from, undefined, words(table[from])]),
    ...entered.map((before): [string, string, string[]] => ['needs_review', before, fromReview(lattice, before)]),
    ['needs_review', undefined, Object.keys(table)],
  ];

  it('has the statuses of this table', () => {
    expect(statuses.toSorted()).toEqual([...Object.keys(table), 'needs_review'].toSorted());
  });

  it.each(rows)('that is %s (before: %s) may become %j and nothing else', (from, before, allowed) => {
    expect(statuses.filter((to) => mayMove(from, to, before)).toSorted()).toEqual(allowed.toSorted());
  });

  it.each(rows)(
    'that is %s (before: %s) is moved to these statuses only, and to others by no patch',
    (from, before, allowed) => {
      for (const to of statuses) {
        const patch = moved(from, to, before);
        expect(patch?.status, `${from} to ${to}`).toBe(allowed.includes(to) ? to : undefined);
        expect(patch === undefined, `${from} to ${to}`).toBe(!allowed.includes(to));
      }
    },
  );

  it('keeps the status before a review, and no longer than that', () => {
    for (const from of entered) {
      expect(moved(from, 'needs_review')?.statusBeforeReview).toBe(from);
      for (const to of fromReview(lattice, from)) {
        const patch = moved('needs_review', to, from);
        expect(patch).toHaveProperty('statusBeforeReview', undefined);
      }
    }
  });

  it('announces each end, and what is no end never; and takes the reason of before away', () => {
    for (const [from, before, allowed] of rows) {
      for (const to of allowed) {
        const patch = moved(from, to, before);
        expect(patch?.outbox !== undefined, `${from} to ${to}`).toBe(ended(to));
        expect(patch).toHaveProperty('failure', undefined);
      }
    }
  });
});

describe('an end', () => {
  it('of a sale is any but what still waits for the terminal', () => {
    expect(saleStatuses.filter(terminalEnded).toSorted()).toEqual(
      words(`${saleEnds} ${afterSalePayment} needs_review`).toSorted(),
    );
  });

  it('of a charge is any but what still waits, and a hold', () => {
    const ends = words(`${chargeEnds} charged captured refunded reversed needs_review`);
    expect(chargeStatuses.filter(chargeEnded).toSorted()).toEqual(ends.toSorted());
  });

  it('of an RF order is any but what can still be paid', () => {
    const ends = words('expired cancelled failed paid reversed needs_review');
    expect(rfOrderStatuses.filter(rfOrderEnded).toSorted()).toEqual(ends.toSorted());
  });
});
