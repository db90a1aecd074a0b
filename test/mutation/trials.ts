/** Tries mutants, each with the tests that import its file: unit tests first, the slower ones only when it survived. */
import { type Mutant, mutated } from './mutants.ts';
import { findImporters, reaching } from './reach.ts';
import { lineOf, type Trial } from './report.ts';
import type { Tree } from './tree.ts';

/** A mutant's tests take at most this time, or a multiple of what all tests of the project take without it. */
const LEAST_LIMIT_MS = 60_000;
const LIMIT_FACTOR = 2;
const LONGEST_MS = 600_000;
/** These compare the whole template: they notice any change, and so prove nothing. */
const snapshots = /^test\/infra\/guards\.test\.ts$/;

/** Tries as many at once as there are trees, which are copies of these sources; `onTrial` gets a line of text after each. */
export async function tryAll(
  sample: readonly Mutant[],
  sources: ReadonlyMap<string, string>,
  trees: readonly [Tree, ...Tree[]],
  onTrial: (line: string) => void,
): Promise<readonly Trial[]> {
  const projects = new Set(sample.flatMap(({ file }) => projectsOf(file)));
  const limits = await limitsOf(projects, [...sources.keys()], trees[0]);
  const importers = findImporters(sources);
  const queue = [...sample];
  const trials: Trial[] = [];
  const work = async (tree: Tree) => {
    for (let mutant = queue.pop(); mutant !== undefined; mutant = queue.pop()) {
      const source = sources.get(mutant.file) as string;
      tree.write(mutant.file, mutated(source, mutant));
      const trial = await tryOut(mutant, reaching(importers, mutant.file), tree, limits);
      tree.write(mutant.file, source);
      trials.push(trial);
      onTrial(`${trials.length}/${sample.length} ${outcomeOf(trial)}  ${lineOf(trial)}`);
    }
  };
  await Promise.all(trees.map(work));
  return trials;
}

/** The time limit of each project's tests. Throws when they fail without any change, because they would fail for every mutant. */
async function limitsOf(
  projects: ReadonlySet<string>,
  files: readonly string[],
  tree: Tree,
): Promise<ReadonlyMap<string, number>> {
  const limits = new Map<string, number>();
  for (const project of projects) {
    const startedAt = performance.now();
    if ((await tree.test(project, testsOf(project, files), LONGEST_MS)) !== 'passed') {
      throw new Error(`the ${project} tests fail without any change: see npx vitest run --project ${project}`);
    }
    limits.set(project, Math.max(LEAST_LIMIT_MS, LIMIT_FACTOR * (performance.now() - startedAt)));
  }
  return limits;
}

async function tryOut(
  mutant: Mutant,
  reached: readonly string[],
  tree: Tree,
  limits: ReadonlyMap<string, number>,
): Promise<Trial> {
  const stages = projectsOf(mutant.file).map((project) => ({ project, tests: testsOf(project, reached) }));
  const tried = { mutant, timedOut: false, tests: stages.flatMap(({ tests }) => tests).length };
  for (const { project, tests } of stages) {
    const outcome = tests.length === 0 ? 'passed' : await tree.test(project, tests, limits.get(project) ?? LONGEST_MS);
    if (outcome !== 'passed') {
      return { ...tried, killedBy: project, timedOut: outcome === 'timeout' };
    }
  }
  return tried;
}

/** In the order in which they are tried. */
function projectsOf(file: string): readonly string[] {
  return file.startsWith('infra/') ? ['unit', 'infra', 'flow'] : ['unit', 'flow'];
}

function testsOf(project: string, files: readonly string[]): readonly string[] {
  return files.filter(
    (file) => file.startsWith(`test/${project}/`) && file.endsWith('.test.ts') && !snapshots.test(file),
  );
}

function outcomeOf({ killedBy, timedOut }: Trial): string {
  return killedBy === undefined ? 'SURVIVED' : `${timedOut ? 'time-out' : 'killed'} (${killedBy})`;
}
