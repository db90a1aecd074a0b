import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { components } from '../../docs/contract/components.ts';
import { bundleFunctions } from '../../infra/bundle.ts';
import { type FunctionSpec, functionNames, functions, stepNames } from '../../infra/functions.ts';
import { problems } from '../../shared/api/problems.ts';
import { errorName } from '../../shared/flow/errors.ts';
import { failures } from '../../shared/payments/failures.ts';

/** The sentences of failures and the titles of problems are answered, too. */
function isSaidByCode(text: string): boolean {
  const said = [
    ...Object.values(failures).map(({ message }) => message),
    ...Object.values(problems).map(({ title }) => title),
  ];
  return said.some((one) => text === one || text === `${one}.`);
}

const MAX_BYTES = 450_000;

const folder = mkdtempSync(join(tmpdir(), 'tillflow-bundles-'));
const bundle = (name: string) => readFileSync(join(folder, name, 'index.mjs'), 'utf8');

beforeAll(() => bundleFunctions(folder));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the bundles', () => {
  it.each(functionNames)('keep %s within its budget', (name) => {
    expect(Buffer.byteLength(bundle(name))).toBeLessThanOrEqual(MAX_BYTES);
  });

  it.each(functionNames)('give %s the AWS clients it has a right to use, and no other', (name) => {
    const { payments, tokens, platform, machine, wakes, publishes, callsBack }: FunctionSpec = functions[name];
    const needed = [
      ...((payments ?? tokens) ? ['DynamoDB'] : []),
      ...(publishes ? ['EventBridge'] : []),
      ...(wakes ? ['Lambda'] : []),
      ...(machine ? ['SFN'] : []),
      ...((platform ?? callsBack) ? ['Secrets Manager'] : []),
    ];

    const clients = [...bundle(name).matchAll(/serviceId\?\?"([\w ]+)"/g)].map(([, service]) => service);

    expect(clients.toSorted()).toEqual(needed);
  });

  it.each(functionNames)('give %s no words of the documents', (name) => {
    const words = Object.values(components).flatMap(({ is, of }) => [is, ...Object.values(of)]);
    const documented = words.filter((text) => text.length > 20 && !isSaidByCode(text));

    expect(documented.length).toBeGreaterThan(200);
    expect(documented.filter((text) => bundle(name).includes(text))).toEqual([]);
  });

  it('give read-resource, which reads no body, no schemas', () => {
    expect(bundle('create-sale')).toContain('ZodMini');
    expect(bundle('read-resource')).not.toContain('ZodMini');
  });

  it('keep the names of the errors that the state machine matches', () => {
    for (const step of stepNames) {
      const named = Object.values(errorName).filter((name) => bundle(step).includes(`"${name}"`));

      expect(named).toEqual(Object.values(errorName));
    }
  });
});
