import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Problem, queryNumber, readBody, readQuery } from '../../../../../sandbox/viva/control/problem.ts';

const schema = z.strictObject({
  kind: z.enum(['kill', 'timeout']),
  times: z.int().min(1).default(1),
  value: z.union([z.string(), z.looseObject({})], 'must be a string or an object').optional(),
});

async function refusal(reading: () => unknown): Promise<{ readonly detail: string; readonly errors?: unknown }> {
  const problem = await Promise.resolve()
    .then(reading)
    .catch((error: Problem) => error.response.json());
  return problem as { readonly detail: string };
}

const refusedBody = (body: unknown) =>
  refusal(() => readBody(new Request('http://control', { method: 'POST', body: JSON.stringify(body) }), schema));

describe('a refusal of the control API', () => {
  it.each<[string, unknown, string]>([
    ['a missing field', {}, '/kind is required.'],
    ['an unknown value', { kind: 'x' }, '/kind must be one of kill, timeout.'],
    ['a text for a number', { kind: 'kill', times: '2' }, '/times must be of type number.'],
    ['a number that is too small', { kind: 'kill', times: 0 }, '/times must be at least 1.'],
    ['a value of neither type', { kind: 'kill', value: 1 }, '/value must be a string or an object.'],
    ['an unknown field', { kind: 'kill', tmies: 1 }, '/tmies is not a field of this request.'],
    [
      'two wrong fields',
      { times: 1.5, kind: 1 },
      '/kind must be one of kill, timeout; /times must be of type integer.',
    ],
    ['an array', [], 'The body must be of type object.'],
  ])('says which field is wrong and what is expected for %s', async (_, body, detail) => {
    expect(await refusedBody(body)).toMatchObject({ detail });
  });

  it('has a pointer to each wrong field', async () => {
    const { errors } = await refusedBody({ kind: 'x', times: 0 });

    expect(errors).toEqual([
      { pointer: '/kind', detail: 'must be one of kill, timeout' },
      { pointer: '/times', detail: 'must be at least 1' },
    ]);
  });

  it('says what is expected of a query', async () => {
    const request = new Request('http://control/?after=x');

    expect(await refusal(() => readQuery(request, z.strictObject({ after: queryNumber })))).toMatchObject({
      detail: '/after must be of type number.',
    });
  });
});
