import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SWITCHES } from '../../../sandbox/viva/switches.ts';

const ROOMS = 'bench,docs,functions,infra,operator,sandbox,shared,test';
const self = 'test/unit/docs/references.test.ts';
const texts = globSync([`{${ROOMS}}/**/*.{ts,md}`, '*.md', 'sandbox/*.js'])
  .filter((path) => path !== self && !path.includes('node_modules'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
const decisions = globSync('docs/adr/*.md').sort();

function matchesIn(pattern: RegExp): { path: string; found: RegExpExecArray }[] {
  return texts.flatMap(({ path, text }) => [...text.matchAll(pattern)].map((found) => ({ path, found })));
}

function headingsOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
}

describe('references between the files of the repository', () => {
  it('cite only headings that their page has', () => {
    // A comment may break the line between page and heading.
    const citations = matchesIn(/(docs\/\w+\.md),[\s*/]+"([^"]+)"/g);
    const broken = citations.filter(({ found: [, page = '', heading = ''] }) => !headingsOf(page).includes(heading));

    expect(citations.length).toBeGreaterThan(0);
    expect(broken.map(({ path, found }) => `${path}: ${found[0]}`)).toEqual([]);
  });

  it('link only to files that exist', () => {
    const links = texts
      .filter(({ path }) => path.endsWith('.md'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => join(dirname(path), link)),
      );

    expect(links.filter((link) => globSync(link).length === 0)).toEqual([]);
  });

  it('name only files and folders of the repository that exist', () => {
    const named = texts
      .filter(({ path }) => path.endsWith('.md'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(new RegExp(`\`((?:${ROOMS.replaceAll(',', '|')})/[\\w./-]*)\``, 'g'))].map(
          ([, name = '']) => ({
            path,
            name,
          }),
        ),
      );

    expect(named.filter(({ name }) => globSync(name).length === 0)).toEqual([]);
  });

  it('name only files in comments that exist', () => {
    const sources = texts.filter(({ path }) => path.endsWith('.ts'));
    const named = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/^\s*(?:\/\*)?\*.*$|(?<!\S)\/\/ .*$/gm)].flatMap(([line]) =>
        [...line.matchAll(/\w[\w./-]*\.ts\b/g)].map(([name]) => ({ path, name })),
      ),
    );
    const missing = named.filter(({ name }) => !sources.some(({ path }) => `/${path}`.endsWith(`/${name}`)));

    expect(named.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });

  it('number the decisions from 1 without a gap', () => {
    const numbers = decisions.map((path) => [
      Number(basename(path).slice(0, 3)),
      Number(headingsOf(path)[0]?.split('.')[0]),
    ]);

    expect(numbers).toEqual(decisions.map((_, index) => [index + 1, index + 1]));
  });

  it('cite only decisions that exist', () => {
    const citations = matchesIn(/\bADR (\d+)/g);

    expect(citations.filter(({ found: [, number] }) => Number(number) > decisions.length)).toEqual([]);
  });

  it('name no document outside the repository', () => {
    const outside = matchesIn(/platform-facts|\bfacts \d|interface\.md|design\.md|design section|faults\.md|\bI\d+\b/g);

    expect(outside.map(({ path, found }) => `${path}: ${found[0]}`)).toEqual([]);
  });
});

describe('docs/viva.md', () => {
  const page = readFileSync('docs/viva.md', 'utf8');

  it.each(Object.keys(SWITCHES))('explains what the switch %s decides', (name) => {
    expect(page).toContain(`\`${name}\``);
  });

  it('lists every source that it cites, and no other', () => {
    const [facts = '', sources = ''] = page.split('\n## Sources\n');
    const cited = new Set([...facts.matchAll(/\[(\d+)\]/g)].map(([, number]) => number));
    const listed = [...sources.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => number);

    expect(listed).toEqual([...cited].sort((a, b) => Number(a) - Number(b)));
  });
});
