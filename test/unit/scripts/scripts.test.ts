/** The npm scripts and what `.ci/run` counts. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const node = (...args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8' });

it.each(Object.entries(scripts))('npm run %s checks the version of Node first', (_, command) => {
  expect(command).toMatch(/^(node require-node\.js && |node sandbox\/launch\.js|npm run )/);
});

it.each(['sandbox/launch.js', 'require-node.js'])('%s says in one line which Node it needs', (file) => {
  const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '22.18.0' })`;

  const { status, stderr } = node('--import', old, file, '--help');

  expect(status).toBe(1);
  expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('needs Node 24 or newer; this is 22.18.0')]);
});

const report = (numPassedTests: number, numFailedTests: number, success = numFailedTests === 0) =>
  JSON.stringify({ numPassedTests, numFailedTests, success });

it.each([
  ['every run passed', [report(7, 0), report(5, 0)], 0, '12 passed, 0 failed'],
  ['tests of the second run failed', [report(7, 0), report(3, 2)], 1, '10 passed, 2 failed'],
  ['a run had an unhandled error and no failed test', [report(7, 0, false), report(5, 0)], 1, '12 passed, 1 failed'],
  ['a run found no test', [report(7, 0), report(0, 0)], 1, '7 passed, 1 failed'],
  ['a run wrote no report', [report(7, 0), ''], 1, '7 passed, 1 failed'],
])('the totals are right when %s', (_, reports, code, line) => {
  const folder = mkdtempSync(join(tmpdir(), 'tillflow-totals-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = reports.map((text, n) => {
    const file = join(folder, `${n}.json`);
    writeFileSync(file, text);
    return file;
  });

  const { status, stdout } = node('.ci/totals.js', ...files);

  expect(stdout.trim().split('\n').at(-1)).toBe(line);
  expect(status).toBe(code);
});
