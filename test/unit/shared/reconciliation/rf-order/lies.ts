/** The false answers that the platform may give. */
import type { TransactionRecord } from '../../../../../shared/viva/viva.ts';
import type { Answers, Lie } from '../../../../fakes/rf-bank.ts';

const OTHER_MERCHANT = '1b9e7f60-3c2d-4e5f-8a6b-7c8d9e0f1a2b';

type Change = (record: TransactionRecord) => Partial<TransactionRecord>;
const each = (change: Change): Partial<Answers> => ({
  records: (all) => all.map((one) => ({ ...one, ...change(one) })),
});
const originals = (change: Partial<TransactionRecord>) => each(({ parentId }) => (parentId ? {} : change));

export const lies: Readonly<Record<string, Lie>> = {
  'no answer': 'outage',
  'other amounts': each(({ amount }) => ({ amount: amount + 100 })),
  'another merchant': each(() => ({ merchantId: OTHER_MERCHANT })),
  'another currency': each(() => ({ currency: 'RON' })),
  'another order': each(() => ({ orderCode: '9948100551072603', merchantTrns: 'room 12' })),
  'the records of another order': {
    records: (all) =>
      all.map(({ transactionId, parentId, ...one }) => ({
        ...one,
        transactionId: `1${transactionId.slice(1)}`,
        ...(parentId && { parentId: `1${parentId.slice(1)}` }),
        orderCode: '9948100551072603',
        merchantTrns: 'room 12',
      })),
  },
  'another type': each(() => ({ transactionTypeId: 5 })),
  'no parents': { records: (all) => all.map(({ parentId: _, ...one }) => one) },
  'failed payments': each(({ statusId }) => ({ statusId: statusId === 'F' ? 'E' : statusId })),
  'payments in progress': each(() => ({ statusId: 'A' })),
  'payments given back': originals({ statusId: 'R' }),
  'payments disputed': originals({ statusId: 'M' }),
  'payments lost in dispute': originals({ statusId: 'ML' }),
  'other commissions': each(({ commission = 0 }) => ({ commission: commission + 7 })),
  'no records': { records: () => [] },
  'no children': { records: (all) => all.filter(({ parentId }) => parentId === undefined) },
  'the first record only': { records: (all) => all.slice(0, 1) },
  'another amount of the order': { order: (order) => ({ ...order, amount: 4300 }) },
  ...Object.fromEntries(
    (['pending', 'expired', 'cancelled', 'paid', 'unknown'] as const).map((state) => [
      `an order that is ${state}`,
      { order: (order) => ({ ...order, state }) } satisfies Partial<Answers>,
    ]),
  ),
};
