import { describe, expect, it } from 'vitest';
import { findMutants, mutated } from '../../mutation/mutants.ts';
import { findSiblings } from '../../mutation/siblings.ts';

const siblings = findSiblings(
  new Map([
    [
      'lists.ts',
      `type State = 'open' | 'closed'; const names = ['red', 'green', 'blue']; const ranks = { low: 0, high: 1 } as const; const states = { Wait: { Next: 'End' }, End: {} };`,
    ],
  ]),
);

/** Returns the text of every change of this kind. */
function changes(kind: string, source: string): readonly string[] {
  return findMutants('a.ts', source, siblings)
    .filter((mutant) => mutant.kind === kind)
    .map((mutant) => mutated(source, mutant));
}

describe('the mutants of a source file', () => {
  it.each<readonly [kind: string, source: string, ...changed: string[]]>([
    ['condition', 'if (a) b();', 'if (true) b();', 'if (false) b();'],
    ['condition', 'x = a ? b : c;', 'x = true ? b : c;', 'x = false ? b : c;'],
    ['condition', 'while (a) b();', 'while (false) b();'],
    ['condition', 'while (true) b();'],
    ['condition', 'for (;;) b();'],
    ['condition', 'x = !a;', 'x = a;'],
    ['comparison', 'x = a < b;', 'x = a <= b;'],
    ['comparison', 'x = a <= b;', 'x = a < b;'],
    ['comparison', 'x = a > b;', 'x = a >= b;'],
    ['comparison', 'x = a >= b;', 'x = a > b;'],
    ['comparison', 'x = a === b;', 'x = a !== b;'],
    ['comparison', 'x = a !== b;', 'x = a === b;'],
    ['comparison', 'x = a /* < */ < b;', 'x = a /* < */ <= b;'],
    ['logic', 'x = a && b;', 'x = a || b;'],
    ['logic', 'x = a || b;', 'x = a && b;'],
    ['logic', 'x = a ?? b;', 'x = (a);', 'x = (b);'],
    ['statement', 'a();', ';'],
    ['statement', 'x = 1;', ';'],
    ['statement', 'throw a;', ';'],
    ['statement', 'logger.info(a);'],
    ['statement', 'deps.logger.info(a);'],
    ['statement', 'function f() { return a; }'],
    ['statement', 'function f() { if (a) return b; return c; }', 'function f() { if (a) ; return c; }'],
    ['statement', 'function f() { if (a) { return b; } return c; }', 'function f() { if (a) { ; } return c; }'],
    ['arithmetic', 'x = a + b;', 'x = a - b;'],
    ['arithmetic', 'x = a * b;', 'x = a / b;'],
    ['arithmetic', 'x += a;', 'x -= a;'],
    ['arithmetic', 'x = Math.min(a);', 'x = Math.max(a);'],
    ['arithmetic', 'x = "a" + b + c;'],
    ['status', "x = 'open';", "x = 'closed';"],
    ['status', "x = 'closed';", "x = 'open';"],
    ['status', "x = 'blue';", "x = 'red';"],
    ['status', "x = 'low';", "x = 'high';"],
    ['status', "x = 'Wait';", "x = 'End';"],
    ['status', "x = 'none of a list';"],
    ['status', "type T = 'open'; import 'open'; x = { 'open': 1 };"],
    ['status', "x = y as 'open';"],
    ['spread', 'x = { ...(a && b) };', 'x = { ...{} };', 'x = { ...(b) };'],
    ['spread', 'x = { ...a };'],
    ['predicate', 'x = all.filter((a) => a.b);', 'x = all.filter((a) => true);', 'x = all.filter((a) => false);'],
    ['predicate', 'x = all.map((a) => a.b);'],
  ])('of the kind %s in %s', (kind, source, ...changed) => {
    expect(changes(kind, source)).toEqual(changed);
  });

  it('leave out changes that do not parse, because no test needs to notice them', () => {
    const source = "x = 'open' < y;";

    expect(findMutants('a.ts', source, new Map([['open', "it's"]])).map(({ kind }) => kind)).toEqual([
      'statement',
      'comparison',
    ]);
    expect(() => findMutants('a.ts', 'x = ')).toThrow('a.ts: ');
  });

  it('have unique ids that do not depend on other lines', () => {
    const ids = (source: string) => findMutants('a.ts', source).map(({ id }) => id);
    const twice = ids('if (a) b();\nif (a) b();');

    expect(new Set(twice).size).toBe(twice.length);
    expect(ids('// more\nx = 1 < y;\nif (a) b();')).toEqual(expect.arrayContaining([...ids('if (a) b();')]));
  });
});

describe('a comment that argues for a mutant', () => {
  it.each<readonly [where: string, source: string, comparison: string | undefined]>([
    ['counts in its line', 'if (a < b) c(); // mutant comparison: both end at b', 'both end at b'],
    ['counts in the line above', '// mutant comparison: both end at b\nif (a < b) c();', 'both end at b'],
    ['does not count in an earlier line', '// mutant comparison: both end at b\nx();\nif (a < b) c();', undefined],
    [
      'does not count at the end of the line above',
      'x(); // mutant comparison: both end at b\nif (a < b) c();',
      undefined,
    ],
    ['does not count for another kind', 'if (a < b) c(); // mutant condition: both end at b', undefined],
    ['does not count without a reason', 'if (a < b) c(); // mutant comparison:', undefined],
  ])('%s', (_, source, comparison) => {
    const found = findMutants('a.ts', source).find(({ kind }) => kind === 'comparison');

    expect(found?.argued).toBe(comparison);
  });

  it('counts for its own kind only', () => {
    const found = findMutants('a.ts', 'if (a < b) c(); // mutant comparison: both end at b');

    expect(found.filter(({ argued }) => argued !== undefined).map(({ kind }) => kind)).toEqual(['comparison']);
  });
});
