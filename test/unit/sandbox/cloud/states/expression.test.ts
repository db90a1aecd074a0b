import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../../../sandbox/cloud/states/expression.ts';
import type { Json } from '../../../../../sandbox/cloud/states/json.ts';

const value = (template: Json, input: Json = null, variables: Record<string, Json> = {}) =>
  evaluate(template, { states: { input, context: {} }, variables }, 'Output');

describe('a template with expressions', () => {
  it('evaluates expressions at any depth, and keeps everything else', async () => {
    const template = { a: ['{% $states.input %}', { b: '{% $x + 1 %}' }], c: 'literal', d: 1, e: null, f: true };

    expect(await value(template, 'in', { x: 1 })).toEqual({
      a: ['in', { b: 2 }],
      c: 'literal',
      d: 1,
      e: null,
      f: true,
    });
  });

  it('is unchanged without an expression', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (json) => {
        fc.pre(!JSON.stringify(json).includes('{%'));
        expect(JSON.stringify(await value(json as Json))).toBe(JSON.stringify(json));
      }),
      { numRuns: 50 },
    );
  });

  it('passes any JSON through an expression unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ noUnicodeString: false, maxDepth: 3 }), async (json) => {
        expect(JSON.stringify(await value('{% $states.input %}', json as Json))).toBe(JSON.stringify(json));
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['names a missing field', '{% $states.input.missing %}', 'returned nothing'],
    ['names a missing variable', '{% $missing %}', 'returned nothing'],
    ['reads the root, which does not exist', '{% $ %}', 'returned nothing'],
    ['calls something that is not a function', '{% $missing() %}', 'threw an error'],
    ['mixes types', "{% 1 + 'a' %}", 'threw an error'],
    ['results in its own function', '{% function($x) { $x } %}', 'returned a function'],
    ['results in a JSONata function', '{% $sum %}', 'returned a function'],
    ['evaluates text as code', "{% $eval('1') %}", 'threw an error'],
  ])('that %s fails with a query evaluation error that names the place', async (_, expression, cause) => {
    await expect(value({ field: expression }, {})).rejects.toMatchObject({
      error: 'States.QueryEvaluationError',
      location: 'Output/field',
      failureCause: expect.stringContaining(cause),
    });
  });
});

describe('the AWS functions in JSONata', () => {
  it.each([
    ['$partition([1..5], 2)', [[1, 2], [3, 4], [5]]],
    ['$range(0, 10, 5)', [0, 5, 10]],
    ['$range(3, 1, -1)', [3, 2, 1]],
    ['$range(1, 0, 1)', []],
    ["$hash('abc', 'MD5')", '900150983cd24fb0d6963f7d28e17f72'],
    ["$hash('abc', 'SHA-1')", 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['$parse(\'{"a":[1]}\')', { a: [1] }],
    ['$random(7) = $random(7)', true],
    ['$random() < 1', true],
    ['$uuid() != $uuid()', true],
  ])('evaluate %s', async (expression, expected) => {
    expect(await value(`{% ${expression} %}`)).toEqual(expected);
  });

  it.each(['$partition([1], 0)', '$range(0, 1, 0)', '$range(0, 5000, 1)', "$hash('a', 'CRC')", "$parse('no')"])(
    'refuse %s',
    async (expression) => {
      await expect(value(`{% ${expression} %}`)).rejects.toMatchObject({ error: 'States.QueryEvaluationError' });
    },
  );
});
