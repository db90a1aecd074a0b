/**
 * Writes the generated documents, or only those that are named (`openapi.yaml`). With `--check` it writes nothing, and fails
 * if one is not what the code says today, or if something is wrong with docs/openapi.yaml.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { complaints } from './contract/complaints.ts';
import { errorsDoc } from './generate-errors.ts';
import { openapiYaml } from './generate-openapi.ts';
import { sandboxDoc } from './generate-sandbox.ts';

const documents = { 'openapi.yaml': openapiYaml, 'errors.md': errorsDoc, 'sandbox.md': sandboxDoc };

async function check(): Promise<readonly string[]> {
  const stale = Object.entries(documents)
    .filter(([name, text]) => readFileSync(place(name), 'utf8') !== text())
    .map(([name]) => `docs/${name} is not what the code says: run \`npm run generate\``);
  const found = await complaints(openapiYaml());
  return [...stale, ...found.map((complaint) => `docs/openapi.yaml ${complaint}`)];
}

function place(name: string): URL {
  return new URL(name, import.meta.url);
}

if (process.argv.includes('--check')) {
  const found = await check();
  for (const line of found) {
    console.error(line);
  }
  process.exitCode = found.length > 0 ? 1 : 0;
} else {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in documents));
  if (unknown.length > 0) {
    throw new Error(`${unknown.join(', ')} is not generated; these are: ${Object.keys(documents).join(', ')}`);
  }
  for (const [name, text] of Object.entries(documents)) {
    if (names.length === 0 || names.includes(name)) {
      writeFileSync(place(name), text());
    }
  }
}
