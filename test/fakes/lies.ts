/** False answers of the platform to a single read, for tests that draw them at random. */
import { TransientError } from '../../shared/flow/errors.ts';
import type { Lie } from './records.ts';

export const lies: Readonly<Record<string, Lie>> = {
  failed: (all) => all.map((one) => (one.statusId === 'F' ? { ...one, statusId: 'E' } : one)),
  first_failed: (all) => all.map((one, n) => (n === 0 && one.statusId === 'F' ? { ...one, statusId: 'E' } : one)),
  in_progress: (all) => all.map((one) => ({ ...one, statusId: 'A' })),
  missing: (all) => all.slice(1),
  all_missing: () => [],
  children_missing: (all) => all.filter(({ parentId }) => parentId === undefined),
  other_amount: (all) => all.map((one) => ({ ...one, amount: one.amount + 100 })),
  other_merchant: (all) => all.map((one) => ({ ...one, merchantId: '00000000-0000-4000-8000-000000000000' })),
  unreachable: () => {
    throw new TransientError('NO_ANSWER', 'timed out');
  },
};
