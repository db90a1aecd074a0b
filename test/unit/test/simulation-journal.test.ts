import { describe, expect, it } from 'vitest';
import { refuseChanges } from '../../simulation/code.ts';
import { continuedRecord, emptyRecord, fromText, Journal, refuseFailed, toText } from '../../simulation/journal.ts';
import { readOptions } from '../../simulation/options.ts';
import type { Outcome } from '../../simulation/orders.ts';

const code = { hash: 'aaaa', commit: '1234567' };

function outcome(seed: number, more: Partial<Outcome> = {}): Outcome {
  return { seed, turns: 10, counts: [], paths: { machine: [], items: [] }, broken: [], ...more };
}

function recordOf(...outcomes: readonly Outcome[]) {
  const journal = new Journal(emptyRecord(1, code));
  for (const one of outcomes) {
    journal.add(one);
  }
  return journal.recorded(2);
}

describe('the record of a run', () => {
  it('has the outcomes in the order of their seeds, whichever came first', () => {
    const paths = { machine: ['a'], items: ['b'] };
    const counts = [['sale paid', 2]] as const;

    const record = recordOf(outcome(2, { paths, counts }), outcome(1, { paths, counts }));

    expect(record).toMatchObject({ first: 1, next: 3, turns: 20, seconds: 2 });
    expect(record.counts).toEqual(new Map([['sale paid', 4]]));
    expect([record.machine, record.items]).toEqual([new Map([['a', 1]]), new Map([['b', 1]])]);
  });

  it('ends before a seed whose outcome is missing', () => {
    expect(recordOf(outcome(1), outcome(3))).toMatchObject({ next: 2, turns: 10 });
  });

  it('goes on where it was left', () => {
    const left = fromText(
      toText(recordOf(outcome(1, { counts: [['sale paid', 1]], paths: { machine: ['a'], items: [] } }))),
    );

    const { record, isNew } = continuedRecord(left, { ...code, commit: '89abcde' });
    const journal = new Journal(record);
    journal.add(outcome(2, { counts: [['sale paid', 1]], paths: { machine: ['a', 'b'], items: [] } }));
    const continued = journal.recorded(3);

    expect(isNew).toBe(false);
    expect(continued).toMatchObject({ code: { commit: '89abcde' }, first: 1, next: 3, seconds: 5, turns: 20 });
    expect(continued.counts.get('sale paid')).toBe(2);
    expect(continued.machine).toEqual(
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
    );
  });

  it('starts again when the code is another one', () => {
    const { record, isNew } = continuedRecord(recordOf(outcome(1)), { hash: 'bbbb', commit: '89abcde' });

    expect(isNew).toBe(true);
    expect(record).toEqual(emptyRecord(1, { hash: 'bbbb', commit: '89abcde' }));
  });

  it('is neither continued nor reported after a broken invariant', () => {
    const failed = recordOf(outcome(1), outcome(2, { broken: ['soldOnce'] }));

    expect(() => continuedRecord(failed, code)).toThrow('Seed 2 broke soldOnce');
    expect(() => refuseFailed(failed)).toThrow('--seed 2');
    expect(() => refuseFailed(recordOf(outcome(1)))).not.toThrow();
  });

  it('is not kept of code that is not committed', () => {
    expect(() => refuseChanges(' M shared/x.ts\n')).toThrow('shared/x.ts\nCommit or stash them');
    expect(() => refuseChanges('')).not.toThrow();
  });
});

describe('the options of the simulation', () => {
  it.each([['--from=2'], ['--seed=2'], ['--switches=a=b'], ['--keep-going']])(
    'refuse to continue a record with %s',
    (other) => {
      expect(() => readOptions(['--continue', other])).toThrow('leave --');
    },
  );

  it('continue until Ctrl-C, from seed 1 on, when nothing else is said', () => {
    expect(readOptions(['--continue'])).toMatchObject({ from: 1, seeds: Number.POSITIVE_INFINITY });
    expect(readOptions(['--continue', '--minutes', '5'])).toMatchObject({ from: 1, minutes: 5 });
  });
});
