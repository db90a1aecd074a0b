/** Compares what the storefront API says about each accepted sale with the ledger of the simulator. */
import type { ReadyLine } from '../e2e/run-sandbox.ts';
import { type Json, PATHS, Till } from '../till.ts';

export interface Accepted {
  readonly kind: 'sale' | 'charge' | 'rf-order';
  readonly id: string;
  readonly till: Till;
}

const SHOWN_TAKEN = ['paid', 'tokenized', 'charged', 'refunded', 'reversed'];

export async function violationsOf(accepted: readonly Accepted[], ready: ReadyLine): Promise<readonly string[]> {
  const { entries } = await new Till('merchant', 0, ready).control('GET', '/_sim/ledger');
  const violations: string[] = [];
  const known = new Set<string>();
  for (const { kind, id, till } of accepted) {
    const { body: resource } = await till.api('GET', `${PATHS[kind]}/${id}`);
    violations.push(...ofOne(`${kind} ${id}`, resource, takenFor(id, entries, known)));
  }
  const stray = entries.filter(({ seq, parentId }: Json) => parentId === null && !known.has(seq));
  return [
    ...violations,
    ...stray.map(
      ({ kind, amount, merchantTrns }: Json) => `${kind} of ${amount} for ${merchantTrns} belongs to nothing accepted`,
    ),
  ];
}

function takenFor(id: string, entries: readonly Json[], known: Set<string>): readonly Json[] {
  const own = entries.filter(({ merchantTrns, parentId }) => parentId === null && merchantTrns?.includes(id));
  for (const { seq } of own) {
    known.add(seq);
  }
  return own;
}

function ofOne(name: string, { status, final, amount }: Json, taken: readonly Json[]): readonly string[] {
  return [
    ...(taken.length > 1 ? [`${name} was taken ${taken.length} times`] : []),
    ...(final ? [] : [`${name} is still ${status} after a day`]),
    ...(final && SHOWN_TAKEN.includes(status) !== taken.length > 0
      ? [`${name} is ${status}, but the ledger has ${taken.length} payments`]
      : []),
    ...(taken.some((one) => one.amount !== amount) ? [`${name} took another amount than ${amount}`] : []),
  ];
}
