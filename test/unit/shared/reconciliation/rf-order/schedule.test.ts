import { describe, expect, it } from 'vitest';
import type { RfOrder } from '../../../../../shared/payments/items.ts';
import { nextRead } from '../../../../../shared/reconciliation/rf-order/schedule.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CREATED = Date.parse('2026-11-21T10:00:00.000Z');
const at = (afterMs: number) => new Date(CREATED + afterMs).toISOString();

function order(change: Partial<RfOrder>): RfOrder {
  const given = { rfCode: 'RF94', orderCode: '1234567890123456', notifyCustomer: false };
  return { ...given, createdAt: at(0), expiresAt: at(5 * DAY_MS), status: 'pending', ...change } as RfOrder;
}

describe('the next read of an RF order', () => {
  it('is at most two minutes after its end, or three days when a part was paid', () => {
    const before = CREATED + 5 * DAY_MS - 60_000;
    const rest = CREATED + 8 * DAY_MS - 60_000;

    expect(nextRead(order({}), before)).toBe(at(5 * DAY_MS + 120_000));
    expect(nextRead(order({ status: 'partially_paid' }), rest)).toBe(at(8 * DAY_MS));
  });

  it.each([
    ['whose code we gave out', {}, true],
    ['whose code the platform sent to the payer', { rfCode: undefined, notifyCustomer: true }, true],
    ['that has another order at the platform', { rfCode: undefined, otherCodes: ['2'] }, true],
    ['whose code nobody has', { rfCode: undefined }, false],
    ['that was never created', { rfCode: undefined, orderCode: undefined, notifyCustomer: true }, false],
  ])('continues for 30 days after the end of an order %s when it may be paid late', (_, change, comes) => {
    const ended = order({ status: 'expired', endedAt: at(0), ...change } as never);

    expect(nextRead(ended, CREATED + DAY_MS) !== undefined).toBe(comes);
    expect(nextRead(ended, CREATED + 30 * DAY_MS)).toBeUndefined();
  });
});
