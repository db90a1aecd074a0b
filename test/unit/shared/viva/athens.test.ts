import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { athensDay, instantOf } from '../../../../shared/viva/athens.ts';

/** Not the time zone of a Lambda, so that nothing can depend on it. */
beforeEach(() => void vi.stubEnv('TZ', 'America/New_York'));
afterEach(() => void vi.unstubAllEnvs());

describe('the time in Athens', () => {
  it.each([
    ['2026-11-21T12:00:00', '2026-11-21T10:00:00.000Z'],
    ['2026-07-21T12:00:00.1234567', '2026-07-21T09:00:00.123Z'],
    ['2026-07-21T12:00:00+03:00', '2026-07-21T09:00:00.000Z'],
    ['2026-07-21T12:00:00Z', '2026-07-21T12:00:00.000Z'],
    ['2026-10-25T05:00:00', '2026-10-25T03:00:00.000Z'],
    ['yesterday', undefined],
  ])('reads %s as %s', (text, instant) => {
    expect(instantOf(text)).toBe(instant);
  });

  it.each([
    ['2026-11-21T21:59:59Z', '2026-11-21'],
    ['2026-11-21T22:00:00Z', '2026-11-22'],
    ['2026-07-21T20:59:59Z', '2026-07-21'],
    ['2026-07-21T21:00:00Z', '2026-07-22'],
  ])('is, at %s, on the day %s', (at, day) => {
    expect(athensDay(Date.parse(at))).toBe(day);
  });
});
