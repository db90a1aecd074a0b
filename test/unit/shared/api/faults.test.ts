import { describe, expect, it } from 'vitest';
import { faultLine, toProblem } from '../../../../shared/api/faults.ts';
import { Problem } from '../../../../shared/api/problem.ts';
import { FaultError, RejectedError, TransientError } from '../../../../shared/flow/errors.ts';

describe('the log entry of a fault', () => {
  it('has the error’s name, code and position, and never its message', () => {
    const line = faultLine(new FaultError('ITEM_MISSING', 'CANARY'));

    expect(line).toMatchObject({
      error: 'FaultError',
      reason: 'ITEM_MISSING',
      at: expect.stringMatching(/^at .*faults\.test\.ts/),
    });
    expect(JSON.stringify(line)).not.toContain('CANARY');
  });

  it.each([
    ['has none', new TypeError('CANARY')],
    ['has a number as code', Object.assign(new Error('CANARY'), { code: 17 })],
    ['has an object as code', Object.assign(new Error('CANARY'), { code: { secret: 'CANARY' } })],
  ])('has no code when the error %s', (_, error) => {
    expect(faultLine(error).reason).toBeUndefined();
  });

  it('has no position when the error has none', () => {
    const error = new Error('CANARY');
    delete error.stack;

    expect(faultLine(error)).toEqual({ error: 'Error', reason: undefined, at: undefined });
  });
});

describe('toProblem', () => {
  it('returns a problem that was thrown', () => {
    const problem = new Problem('NOT_FOUND', 'not there');

    expect(toProblem(problem)).toBe(problem);
  });

  it.each([
    ['is transient', new TransientError('ITEM_CONTENDED', 'x'), 'SERVICE_UNAVAILABLE', { 'Retry-After': '1' }],
    [
      'is an outage of an AWS service',
      Object.assign(new Error('x'), { $fault: 'server' }),
      'SERVICE_UNAVAILABLE',
      { 'Retry-After': '1' },
    ],
    ['is a fault', new FaultError('ITEM_MISSING', 'x'), 'INTERNAL_ERROR', {}],
    ['is a refusal that nobody handled', new RejectedError('SALE_REFUSED', 'x'), 'INTERNAL_ERROR', {}],
    ['is unexpected', new TypeError('x'), 'INTERNAL_ERROR', {}],
  ])('keeps the cause of an error that %s, and says whether to retry', (_, error, code, headers) => {
    expect(toProblem(error)).toMatchObject({ code, cause: error, headers });
  });
});
