import { describe, expect, it } from 'vitest';
import { choose } from '../../mutation/choose.ts';
import { findMutants, type Mutant } from '../../mutation/mutants.ts';
import { findImporters, reaching } from '../../mutation/reach.ts';
import { report, scoreOf, type Trial } from '../../mutation/report.ts';
import { isDeciding } from '../../mutation/sources.ts';

const all = Array.from({ length: 100 }, (_, n) => ({ id: `mutant ${n}` }));

describe('a sample of mutants', () => {
  it('is the same for the same seed, in whatever order the mutants were found, and differs by seed', () => {
    expect(choose(all, 10, '1')).toHaveLength(10);
    expect(choose(all.toReversed(), 10, '1')).toEqual(choose(all, 10, '1'));
    expect(choose(all, 10, '2')).not.toEqual(choose(all, 10, '1'));
  });

  it('loses only mutants that are gone when other code changes', () => {
    const before = choose(all, 10, '1');
    const gone = before[0];

    expect(
      choose(
        all.filter((one) => one !== gone),
        9,
        '1',
      ),
    ).toEqual(before.slice(1));
  });

  it('contains everything when there is less than requested', () => {
    expect(choose(all, 1000, '1')).toHaveLength(100);
  });

  it.each([
    ['shared/viva/money.ts', true],
    ['functions/sale/create-sale/rules.ts', true],
    ['infra/machine/definition.ts', true],
    ['functions/sale/create-sale/index.ts', false],
    ['shared/viva/from-environment.ts', false],
    ['infra/stack.ts', false],
    ['sandbox/main.ts', false],
    ['test/unit/shared/viva/money.test.ts', false],
  ])('is taken from code that decides: %s %s', (file, expected) => {
    expect(isDeciding(file)).toBe(expected);
  });
});

describe('the tests that can notice a change', () => {
  const importers = findImporters(
    new Map([
      ['shared/a.ts', ''],
      ['shared/b.ts', "import { a } from './a.ts';"],
      ['shared/c.ts', "export { a } from './a.ts';"],
      [
        'shared/types.ts',
        "import type { A } from './a.ts'; import { type B } from './a.ts'; import fs from 'node:fs';",
      ],
      ['test/unit/b.test.ts', "import '../../shared/b.ts';"],
      ['test/unit/c.test.ts', "const c = await import('../../shared/c.ts');"],
      ['test/unit/types.test.ts', "import '../../shared/types.ts';"],
    ]),
  );

  it('are those that import the file, directly or through others, but not for types only', () => {
    expect(reaching(importers, 'shared/a.ts').filter((file) => file.endsWith('.test.ts'))).toEqual([
      'test/unit/b.test.ts',
      'test/unit/c.test.ts',
    ]);
  });

  it('are none when nothing imports the file', () => {
    expect(reaching(importers, 'test/unit/b.test.ts')).toEqual(['test/unit/b.test.ts']);
  });
});

describe('the report of a mutation run', () => {
  const [mutant] = findMutants('shared/a.ts', 'if (a < b) c();') as [Mutant];
  const killed: Trial = { mutant, killedBy: 'unit', timedOut: false, tests: 2 };
  const endless: Trial = { ...killed, timedOut: true };
  const survivor: Trial = { mutant, timedOut: false, tests: 0 };
  const argued: Trial = { mutant: { ...mutant, argued: 'both end at b' }, timedOut: false, tests: 1 };

  it('counts a test that does not end as noticed, and leaves out argued survivors', () => {
    expect(scoreOf([killed, endless, survivor, argued])).toEqual({
      tried: 4,
      killed: 2,
      timedOut: 1,
      argued: 1,
      rate: 200 / 3,
    });
    expect(scoreOf([{ ...argued, killedBy: 'unit' }])).toMatchObject({ killed: 1, argued: 0, rate: 100 });
    expect(scoreOf([argued]).rate).toBe(100);
  });

  it('names each survivor by file, line and change, and the argument in the source', () => {
    const text = report([killed, endless, survivor, argued]);

    expect(text).toContain('survivors\n  shared/a.ts:1  condition  a < b → true  (no test reaches it)');
    expect(text).toContain('ended by time-out\n  shared/a.ts:1  condition  a < b → true  (2 test files)');
    expect(text).toContain('argued in place\n  shared/a.ts:1  condition  a < b → true  (both end at b)');
    expect(text).toMatch(/shared +66\.7 % {2}2 of 4 \(1 by time-out, 1 argued\)/);
  });
});
