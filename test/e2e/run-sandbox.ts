/** Runs `npm start -- --json` as a separate process and reads its ready line. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Credential {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface ReadyLine {
  readonly apiUrl: string;
  readonly controlUrl: string;
  readonly issuerUrl: string;
  readonly platform: { readonly authUrl: string; readonly apiUrl: string; readonly baseUrl: string };
  readonly aws: {
    readonly endpointUrl: string;
    readonly region: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
  };
  readonly storefront: Credential & { readonly accessToken: string };
  readonly storefronts: readonly (Credential & { readonly merchantIds: readonly string[] })[];
  readonly isv: Credential & {
    readonly resellerId: string;
    readonly resellerApiKey: string;
    readonly webhookUrl: string;
  };
  readonly merchants: readonly {
    readonly merchantId: string;
    readonly mode: 'merchant' | 'isv';
    readonly country: string;
    readonly industry: string;
    readonly terminals: readonly string[];
    readonly webhookUrl: string;
    readonly credentials: Record<'pos' | 'smartCheckout' | 'native', Credential> & {
      readonly apiKey: string;
      readonly callbackSecret: string;
    };
  }[];
}

export interface RunningSandbox {
  readonly ready: ReadyLine;
  readonly pid: number;
  /** Everything that it printed on stdout. */
  readonly lines: readonly string[];
  /** Sends the signal and resolves to the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export async function runSandbox(args: readonly string[]): Promise<RunningSandbox> {
  const child = spawn(process.execPath, ['sandbox/launch.js', '--json', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const lines: string[] = [];
  const ready = await new Promise<ReadyLine>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      resolve(JSON.parse(line) as ReadyLine);
    });
    exited.then(([code]) => reject(new Error(`the sandbox ended with ${code} before it was ready`)), reject);
  });
  return {
    ready,
    pid: child.pid!,
    lines,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return (await exited)[0];
    },
  };
}
