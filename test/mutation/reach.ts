/** Finds the test files that can notice a change of a source file: those that import it, directly or through others. */
import { dirname, join } from 'node:path';
import { importsOf } from './program.ts';

/** The files of `sources` from which `file` is reached, including itself, the nearest first. */
export function reaching(importers: Importers, file: string): readonly string[] {
  const reached = new Set([file]);
  for (const one of reached) {
    for (const importer of importers.get(one) ?? []) {
      reached.add(importer);
    }
  }
  return [...reached];
}

/** The files that import a file, by file. */
export type Importers = ReadonlyMap<string, readonly string[]>;

export function findImporters(sources: ReadonlyMap<string, string>): Importers {
  const importers = new Map<string, string[]>();
  for (const [file, source] of sources) {
    for (const imported of new Set(importsOf(file, source))) {
      if (imported.startsWith('.')) {
        const path = join(dirname(file), imported);
        importers.set(path, [...(importers.get(path) ?? []), file]);
      }
    }
  }
  return importers;
}
