import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { problemExample } from '../../../../docs/contract/problems.ts';
import { type ProblemCode, problems } from '../../../../shared/api/problems.ts';

interface Example {
  readonly detail: string;
  readonly errors?: readonly { readonly detail: string }[];
}

const sources = globSync('{shared,functions,infra/constructs}/**/*.ts').map((path) => readFileSync(path, 'utf8'));
/** The sentences of the code, with any text in place of what a template inserts. */
const sentences = sources.flatMap((source) =>
  [...source.matchAll(/'((?:[^'\\\n]|\\.)+)'|`([^`]+)`/g)].map(([, quoted = '', template = quoted]) =>
    asPattern(template),
  ),
);

function asPattern(sentence: string): RegExp {
  const parts = sentence.split(/\$\{[^}]*\}/).map((part) => RegExp.escape(part));
  return parts.some((part) => part.length > 6) ? new RegExp(`^${parts.join('.+')}$`) : /^$/;
}

describe('the examples of the problems', () => {
  it.each(Object.keys(problems) as ProblemCode[])('%s says what the API says', (code) => {
    const { detail, errors = [] } = problemExample(code) as Example;
    const unknown = [detail, ...errors.map((one) => one.detail)].filter(
      (sentence) => !sentences.some((pattern) => pattern.test(sentence)),
    );

    expect(unknown).toEqual([]);
  });
});
