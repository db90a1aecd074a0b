import { expect, it } from 'vitest';
import { checkPattern, matches, type Pattern } from '../../../../sandbox/cloud/events/pattern.ts';
import { rateMs } from '../../../../sandbox/cloud/events/schedules.ts';

const failed = { source: 'aws.states', detail: { status: 'FAILED', name: 'sale-1', error: null } };

it.each<[string, Pattern, boolean]>([
  ['a listed value', { source: ['aws.states'], detail: { status: ['FAILED', 'ABORTED'] } }, true],
  ['a value that is not listed', { detail: { status: ['SUCCEEDED'] } }, false],
  ['a field that the event lacks', { detail: { output: ['x'] } }, false],
  ['a prefix', { detail: { name: [{ prefix: 'sale-' }] } }, true],
  ['an exception', { detail: { status: [{ 'anything-but': ['FAILED'] }] } }, false],
  ['an absence', { detail: { output: [{ exists: false }] } }, true],
  ['null', { detail: { error: [null] } }, true],
])('matches an event by %s', (_, pattern, expected) => {
  checkPattern(pattern);

  expect(matches(pattern, failed)).toBe(expected);
});

it('fails on an unknown matcher when the rule is loaded', () => {
  expect(() => checkPattern({ detail: { amount: [{ numeric: ['>', 5] }] } })).toThrow('numeric');
});

it('reads rates, and refuses every other schedule', () => {
  expect([rateMs('rate(1 minute)'), rateMs('rate(5 minutes)'), rateMs('rate(2 days)')]).toEqual([
    60_000, 300_000, 172_800_000,
  ]);
  expect(() => rateMs('cron(0 12 * * ? *)')).toThrow('cron(0 12 * * ? *)');
});
