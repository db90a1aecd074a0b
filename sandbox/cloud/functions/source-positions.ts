/** Shows where a bundled function failed in the sources: positions in its module become positions in TypeScript files. */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const POSITION = /(file:[^\s()"]+\.mjs):(\d+):(\d+)/g;

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Read when a module first fails; null for one without a map. */
const maps = new Map<string, SourceMap | null>();

/** The text with each position in the module replaced by its file, line and column in the repository. */
export function withSourcePositions(text: string, module: string): string {
  if (!text.includes(module)) {
    return text;
  }
  const map = maps.get(module) ?? readMap(module);
  maps.set(module, map);
  return text.replace(POSITION, (position, url, line, column) => {
    const entry = url === module ? map?.findEntry(Number(line) - 1, Number(column) - 1) : undefined;
    if (entry === undefined || !('originalSource' in entry)) {
      return position;
    }
    const { originalSource, originalLine, originalColumn } = entry as SourceMapping;
    return `${inRepository(originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

function readMap(module: string): SourceMap | null {
  const file = `${fileURLToPath(module)}.map`;
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : null;
}

/** The path below the repository: what a map says is relative to where its module was first written. */
function inRepository(source: string): string {
  const parts = source.split('/');
  const start = parts.findIndex((_, n) => parts[n] !== '..' && existsSync(join(root, ...parts.slice(n))));
  return start === -1 ? source : parts.slice(start).join('/');
}
