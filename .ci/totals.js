/**
 * Sums the JSON reports of several test runs into one line, and exits 1 unless all of them passed. A run that failed
 * without a failed test (an unhandled error, a file that did not load) counts as one failure; a run without a report or
 * without tests does, too.
 */
import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
  const run = read(file);
  passed += run.numPassedTests;
  failed += run.numFailedTests;
  if (run.numFailedTests === 0 && (!run.success || run.numPassedTests === 0)) {
    process.stdout.write(`${file}: the run failed without a failed test; its output above says why\n`);
    failed++;
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { success: false, numPassedTests: 0, numFailedTests: 0 };
  }
}
