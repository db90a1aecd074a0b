import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  FaultError,
  RejectedError,
  TransientError,
  toFlowError,
  UnknownOutcomeError,
} from '../../../../shared/flow/errors.ts';
import { createStepHandler, type Step } from '../../../../shared/flow/step.ts';

const input = z.strictObject({ id: z.string(), taskToken: z.optional(z.string()) });
const output = z.strictObject({ done: z.boolean() });
type AnyStep = Step<typeof input, typeof output, object>;

const nothing = () => {};
const quiet = { ...console, log: nothing, info: nothing, warn: nothing, debug: nothing };

/** Runs a step as Lambda does, and returns what it logged. */
function handled(run: AnyStep['run'], logged?: AnyStep['logged']) {
  const keys: object[] = [];
  const errors: unknown[] = [];
  const logger = new Logger({ logLevel: 'SILENT' });
  logger.appendKeys = (more) => void keys.push(more);
  logger.error = (...line) => void errors.push(line);
  const metrics = new Metrics({ namespace: 'tillflow', serviceName: 'some-step', logger: quiet });
  const step = { name: 'some-step', input, output, run, ...(logged && { logged }) };
  const handler = createStepHandler(step, {}, { logger, metrics });
  const context = { functionName: 'some-step', getRemainingTimeInMillis: () => 1_234 } as Context;
  return { keys, errors, handle: (event: unknown) => handler(event, context) as Promise<unknown> };
}

const done = async () => ({ done: true });

describe('the metrics of an invocation', () => {
  const context = { functionName: 'some-step', getRemainingTimeInMillis: () => 1_234 } as Context;
  const withMetrics = (run: AnyStep['run'], handle: (metrics: Metrics) => AnyStep['run'] = () => run) => {
    const warned: unknown[] = [];
    const written: string[] = [];
    const logger = { ...quiet, warn: (line: unknown) => void warned.push(line) };
    const metrics = new Metrics({ namespace: 'tillflow', serviceName: 'some-step', logger });
    const publish = metrics.publishStoredMetrics.bind(metrics);
    metrics.publishStoredMetrics = () => {
      const isEmpty = !metrics.hasStoredMetrics();
      written.push(JSON.stringify(metrics.serializeMetrics()));
      metrics.clearMetrics();
      return isEmpty ? publish() : metrics;
    };
    const step = { name: 'some-step', input, output, run: handle(metrics) };
    const handler = createStepHandler(step, {}, { logger: new Logger({ logLevel: 'SILENT' }), metrics });
    return { warned, written, handle: () => handler({ id: 'one' }, context) as Promise<unknown> };
  };

  it('are not written and not warned about when it has none', async () => {
    const { warned, written, handle } = withMetrics(done);

    await handle();

    expect({ warned, written }).toEqual({ warned: [], written: [] });
  });

  it.each([
    ['succeeds', async () => ({ done: true })],
    ['fails', () => Promise.reject(new RejectedError('NO', 'no'))],
  ] as const)('are written once when it has some and %s', async (_, run) => {
    const { written, handle } = withMetrics(done, (metrics) => async () => {
      metrics.addMetric('NeedsReview', 'Count', 1);
      return run();
    });

    await handle().catch(() => {});

    expect(written).toEqual([expect.stringContaining('NeedsReview')]);
  });
});

describe('a step', () => {
  it('gets its parsed input and the remaining time', async () => {
    const given: unknown[] = [];
    const { handle, errors } = handled(async (of, _deps, { remainingMs }) => {
      given.push(of, remainingMs());
      return { done: true };
    });

    expect(await handle({ id: 'one' })).toEqual({ done: true });
    expect(given).toEqual([{ id: 'one' }, 1_234]);
    expect(errors).toEqual([]);
  });

  it.each([
    ['lacks a required field', {}, 'id invalid_type'],
    ['has an unknown field', { id: 'one', more: 'CANARY' }, '(root) unrecognized_keys'],
    ['is not an object', 'CANARY', '(root) invalid_type'],
  ])('is not run with an input that %s, and the error names the field, not the value', async (_, event, where) => {
    let runs = 0;
    const { handle } = handled(async () => {
      runs++;
      return { done: true };
    });

    await expect(handle(event)).rejects.toMatchObject({
      name: 'FaultError',
      code: 'INPUT_CONTRACT',
      message: `INPUT_CONTRACT: ${where}`,
    });
    expect(runs).toBe(0);
  });

  it('returns nothing that breaks its contract', async () => {
    const { handle } = handled(async () => ({ done: 'yes' }) as never);

    await expect(handle({ id: 'one' })).rejects.toMatchObject({ name: 'FaultError', code: 'OUTPUT_CONTRACT' });
  });

  it('logs its input without the task token, which is a key to the execution', async () => {
    const { handle, keys } = handled(done);

    await handle({ id: 'one', taskToken: 'CANARY' });

    expect(keys).toContainEqual({ id: 'one' });
    expect(JSON.stringify(keys)).not.toContain('CANARY');
  });

  it('logs only the part of its input that the step declares', async () => {
    const { handle, keys } = handled(done, () => ({ of: 'many' }));

    await handle({ id: 'CANARY' });

    expect(keys).toContainEqual({ of: 'many' });
    expect(JSON.stringify(keys)).not.toContain('CANARY');
  });

  it.each([
    [
      'an error that was already classified',
      new RejectedError('CARD_DECLINED', 'no'),
      'RejectedError',
      'CARD_DECLINED',
      undefined,
    ],
    ['an unclassified error', new TypeError('CANARY'), 'FaultError', 'UNCLASSIFIED', 'TypeError'],
    ['a value that is not an error', 'CANARY', 'FaultError', 'UNCLASSIFIED', undefined],
  ])('passes an error class to the state machine and logs no content for %s', async (_, error, name, code, cause) => {
    const { handle, errors } = handled(() => Promise.reject(error));

    await expect(handle({ id: 'one' })).rejects.toMatchObject({ name, code });
    expect(errors).toEqual([['step failed', { step: 'some-step', errorName: name, code, cause }]]);
  });

  it('logs the codes and numbers that an error carries', async () => {
    const error = new FaultError('PLATFORM_REFUSED', 'no', { context: { platformStatus: 403 } });
    const { handle, errors } = handled(() => Promise.reject(error));

    await expect(handle({ id: 'one' })).rejects.toBe(error);
    expect(errors).toMatchObject([['step failed', { code: 'PLATFORM_REFUSED', platformStatus: 403 }]]);
  });
});

describe('classification of errors', () => {
  it.each([
    ['an AWS service failed', Object.assign(new Error('x'), { $fault: 'server' })],
    ['an AWS service throttled', Object.assign(new Error('x'), { name: 'ThrottlingException', $fault: 'client' })],
    ['an AWS service asks for a retry', Object.assign(new Error('x'), { $fault: 'client', $retryable: {} })],
    ['an AWS service did not answer', Object.assign(new Error('x'), { name: 'TimeoutError' })],
    ['the network failed', Object.assign(new Error('x'), { code: 'ECONNRESET', syscall: 'read' })],
  ])('is transient when %s', (_, error) => {
    expect(toFlowError(error)).toMatchObject({ name: 'TransientError', code: 'AWS_UNAVAILABLE', cause: error });
  });

  it.each([
    ['an AWS service refuses', Object.assign(new Error('x'), { name: 'AccessDeniedException', $fault: 'client' })],
    ['the error is unexpected', new RangeError('x')],
    ['the value is not an error', { $fault: 'server' }],
  ])('is a fault when %s', (_, error) => {
    expect(toFlowError(error)).toMatchObject({ name: 'FaultError', code: 'UNCLASSIFIED', cause: error });
  });

  it.each([
    new TransientError('A', 'a'),
    new RejectedError('A', 'a'),
    new UnknownOutcomeError('A', 'a'),
    new FaultError('A', 'a'),
  ])('keeps the class of %s', (error) => {
    expect(toFlowError(error)).toBe(error);
  });
});
