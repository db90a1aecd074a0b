/**
 * Finds the places of a source file where one small change should make a test fail. A pure function of the source text:
 * the same text has the same mutants, and the id of a mutant does not depend on other parts of the file.
 */
import type { Comment } from 'oxc-parser';
import { type Edit, editsOf, type Kind } from './edits.ts';
import { isProgram, parse, walk } from './program.ts';
import type { Siblings } from './siblings.ts';

export interface Mutant {
  /** File, kind, text before and after, and the count of the same change above it in the file. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
  /** Why the source says that this kind of change makes no difference here: see `argumentsOf`. */
  readonly argued?: string;
}

/** Throws when the text is not TypeScript. */
export function findMutants(file: string, source: string, siblings: Siblings = new Map()): readonly Mutant[] {
  const { program, comments } = parse(file, source);
  const code = withoutComments(source, comments);
  const argued = argumentsOf(source, comments);
  const edits: Edit[] = [];
  walk(program, (node, parent) => edits.push(...editsOf(node, parent, code, siblings)));

  const seen = new Map<string, number>();
  return edits
    .filter((edit) => isProgram(file, mutated(source, edit))) // Otherwise every test fails, which proves nothing.
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .map((edit) => {
      const before = source.slice(edit.start, edit.end);
      const line = lineAt(source, edit.start);
      const name = [file, edit.kind, before, edit.after].join('|');
      const count = seen.get(name) ?? 0;
      seen.set(name, count + 1);
      const why = argued.get(`${edit.kind} ${line}`);
      return { id: `${name}|${count}`, file, line, before, ...edit, ...(why !== undefined && { argued: why }) };
    });
}

/** The source text with the mutant in it. */
export function mutated(source: string, { start, end, after }: Pick<Mutant, 'start' | 'end' | 'after'>): string {
  return source.slice(0, start) + after + source.slice(end);
}

/** The same text with the same length, with spaces instead of comments. */
function withoutComments(source: string, comments: readonly Comment[]): string {
  return comments.reduce(
    (text, { start, end }) => text.slice(0, start) + ' '.repeat(end - start) + text.slice(end),
    source,
  );
}

/**
 * `// mutant comparison: <why>` argues that no test can distinguish this kind of change in its line from the original;
 * on a line of its own it applies to the next line. The keys are kind and line, as `comparison 12`.
 */
function argumentsOf(source: string, comments: readonly Comment[]): ReadonlyMap<string, string> {
  return new Map(
    comments.flatMap(({ value, start }) => {
      const [, kind, why] = /^ mutant (\w+): (.+)$/.exec(value) ?? [];
      const line = lineAt(source, start);
      const alone = source.slice(source.lastIndexOf('\n', start - 1) + 1, start).trim() === '';
      return kind === undefined || why === undefined ? [] : [[`${kind} ${alone ? line + 1 : line}`, why]];
    }),
  );
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}
