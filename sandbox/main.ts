/** `npm start`: boots the sandbox, demonstrates it, prints what to do next, and stays up until Ctrl-C. */
import { howToGoOn } from './how-to-go-on.ts';
import { HELP, type Options, parseOptions } from './options.ts';
import { assertUsable } from './ports.ts';
import { stopOnSignals } from './signals.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

const options = readOptions();
if (options.help) {
  print(HELP.trimEnd());
  process.exit(0);
}
await assertUsable(options.port, '--port').catch(fail);
// Loaded only now, because the help and a wrong option should not wait for the CDK.
const { startSandbox } = await import('./sandbox.ts');
const sandbox = await startSandbox({
  port: options.port,
  seed: options.seed,
  onProgress: options.json ? () => {} : print,
}).catch(fail);
stopOnSignals(sandbox.close);

if (options.json) {
  print(JSON.stringify(await sandbox.readyLine()));
} else {
  print('');
  const { demonstrate } = await import('./demonstration.ts');
  const differences = await demonstrate(sandbox, print).catch(fail);
  const agreed = differences.length === 0;
  print(agreed ? "The simulator's ledger agrees." : "The simulator's ledger does not agree:");
  for (const difference of differences) {
    print(`  ${difference}`);
  }
  if (options.once) {
    await sandbox.close();
    process.exit(agreed ? 0 : 1);
  }
  print(howToGoOn(await sandbox.readyLine(), sandbox));
}

function readOptions(): Options {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    const line = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return fail(`${line} (see npm start -- --help)`);
  }
}
