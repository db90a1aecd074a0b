/** `npm start`: boots the sandbox, demonstrates it, prints what to do next, and stays up until Ctrl-C. */
import { HELP, type Options, parseOptions } from './options.ts';
import type { ReadyLine, Sandbox } from './sandbox.ts';

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
// Loaded only now, because the help and a wrong option should not wait for the CDK.
const { startSandbox } = await import('./sandbox.ts');
const sandbox = await startSandbox({
  port: options.port,
  seed: options.seed,
  onProgress: options.json ? () => {} : print,
}).catch(fail);
stopOnSignals(sandbox);

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

function stopOnSignals(running: Sandbox): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (stopping) {
        process.exit(1);
      }
      stopping = true;
      await running.close();
      process.exit(0);
    });
  }
}

function howToGoOn({ apiUrl, controlUrl, storefront, issuerUrl }: ReadyLine, { platform }: Sandbox): string {
  const { merchantId, terminals } = platform.merchants[0]!;
  const body = {
    merchantId,
    terminalId: terminals[0],
    cashRegisterId: 'till-1',
    amount: 1500,
    currency: 'EUR',
    tokenize: true,
  };
  return `
  API        ${apiUrl}
  control    ${controlUrl}/_sim   (terminals, ledger, faults, clock: docs/sandbox.md)
  issuer     ${issuerUrl}
  platform   ${platform.urls.authUrl} (identity)  ${platform.urls.apiUrl} (api)  ${platform.urls.baseUrl} (base)

Copy and paste:

  API=${apiUrl} CONTROL=${controlUrl} MERCHANT=${merchantId} TERMINAL=${terminals[0]}
  TOKEN=${storefront.accessToken}

  curl -s -X POST ${apiUrl}/sales -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -H "Idempotency-Key: $(date +%s%N)" -d '${JSON.stringify(body)}'

  curl -s "${apiUrl}/sales?merchantId=${merchantId}" -H "Authorization: Bearer $TOKEN"

  curl -s "${controlUrl}/_sim/ledger?merchantId=${merchantId}"

Ctrl-C stops it.`;
}
