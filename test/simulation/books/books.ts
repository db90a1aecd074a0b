/** What the ledger says about each resource: the truth that the API is compared with. */
import type { Json } from '../../till.ts';
import type { Resource } from './learned.ts';
import type { Played } from './play.ts';

export interface Truth {
  /** What took or holds the money; more than one is always a violation. */
  readonly made: readonly Json[];
  /** The captures of a hold. */
  readonly captures: readonly Json[];
  /** What returned money, oldest first. */
  readonly back: readonly Json[];
  /** What released a hold. */
  readonly released: readonly Json[];
  readonly taken: number;
  readonly given: number;
}

const MADE: Readonly<Record<Resource['kind'], readonly string[]>> = {
  sale: ['sale'],
  charge: ['charge', 'preauth'],
  'rf-order': ['rf_credit'],
};
const BACK = ['void', 'refund', 'reversal', 'rf_return'];

export function truthOf(resource: Resource, ledger: readonly Json[]): Truth {
  const made = ledger.filter(({ kind, merchantTrns }) => {
    return merchantTrns.includes(resource.id) && MADE[resource.kind].includes(kind);
  });
  const childrenOf = (parents: readonly Json[]) =>
    ledger.filter(({ parentId }) => parents.some(({ transactionId }) => transactionId === parentId));
  const captures = childrenOf(made).filter(({ kind }) => kind === 'capture');
  const returned = childrenOf([...made, ...captures]).filter(({ kind }) => BACK.includes(kind));
  const back = returned.filter(({ status }) => status === 'success');
  return {
    made,
    captures,
    back,
    released: returned.filter(({ status }) => status === 'released'),
    taken: sum([...made.filter(({ kind }) => kind !== 'preauth'), ...captures]),
    given: sum(back),
  };
}

/** Entries that belong to no resource: money that we would not know of. */
export function strayEntries({ resources, ledger }: Played): Json[] {
  const known = new Set(
    [...resources.values()].flatMap((resource) => {
      const { made, captures, back, released } = truthOf(resource, ledger);
      return [...made, ...captures, ...back, ...released].map(({ seq }) => seq);
    }),
  );
  return ledger.filter(({ seq }) => !known.has(seq));
}

function sum(entries: readonly Json[]): number {
  return entries.reduce((total, { amount }) => total + amount, 0);
}
