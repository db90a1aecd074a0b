/**
 * The sandbox as a whole: the platform simulator, the storefronts' token issuer, and the local cloud that runs the
 * synthesized template, on one virtual clock, with one control server.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { isvOwner } from '../shared/viva/credentials.ts';
import { type Accounts, ADMIN, takeOnAccounts } from './account-settings.ts';
import { assemble } from './assembly.ts';
import { Clock } from './clock.ts';
import { type Cloud, startCloud } from './cloud/cloud.ts';
import { controlApp } from './control.ts';
import { STOREFRONT_AUDIENCE, type Storefront, type Storefronts, startStorefronts } from './storefronts.ts';
import { installVirtualDate } from './virtual-date.ts';
import { type Platform, startPlatform } from './viva/viva.ts';

export interface SandboxOptions {
  /** The port of the storefront API; 0 for any free port. All other ports are free ones. */
  readonly port: number;
  readonly seed: number;
  /** One line for each part that is ready, as it happens. */
  readonly onProgress: (line: string) => void;
}

export interface Sandbox {
  readonly cloud: Cloud;
  readonly platform: Platform;
  readonly storefronts: Storefronts;
  readonly controlUrl: string;
  /** The directory of its files; deleted when it is closed. */
  readonly directory: string;
  /** The contract for programs: everything to know from outside. */
  readyLine(): Promise<ReadyLine>;
  close(): Promise<void>;
}

export type ReadyLine = Readonly<Record<string, unknown>> & {
  readonly apiUrl: string;
  readonly controlUrl: string;
  readonly storefront: Storefront & { readonly accessToken: string };
};

export async function startSandbox({ port, seed, onProgress }: SandboxOptions): Promise<Sandbox> {
  const clock = new Clock();
  installVirtualDate(() => clock.now());
  const directory = await mkdtemp(join(tmpdir(), 'tillflow-'));
  const closing: (() => Promise<void> | void)[] = [
    () => rm(directory, { recursive: true, force: true }),
    () => clock.stop(),
  ];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) {
      await end();
    }
  };
  try {
    const timed = progress(onProgress);
    const assembling = assemble(directory, timed);
    assembling.catch(() => {}); // awaited below
    let clearCloud = async () => {};
    const platform = await startPlatform({ clock, seed, onReset: () => clearCloud() });
    closing.push(() => platform.close());
    const storefronts = await startStorefronts(
      clock,
      platform.merchants.map(({ merchantId }) => merchantId),
    );
    closing.push(() => storefronts.issuer.close());
    timed('platform simulator and token issuer are up');

    const synthesized = await assembling;
    const cloud = await startCloud({
      clock,
      ...synthesized,
      apiPort: port,
      parameters: {
        PlatformAuthUrl: platform.urls.authUrl,
        PlatformApiUrl: platform.urls.apiUrl,
        PlatformBaseUrl: platform.urls.baseUrl,
        OidcIssuer: storefronts.issuer.url,
        OidcAudience: STOREFRONT_AUDIENCE,
      },
    });
    closing.push(() => cloud.close());
    const accounts = takeOnAccounts(cloud, platform);
    await accounts.putSecrets();
    await accounts.putSettings();
    for (const recipient of [isvOwner, ...platform.merchants.map(({ merchantId }) => merchantId)]) {
      platform.setWebhookUrl(recipient, accounts.webhookUrl(recipient));
    }
    clearCloud = async () => {
      await cloud.clear();
      await accounts.putSettings();
    };
    timed('the template runs: tables, functions, state machine, API');

    const control = await startControl(platform, cloud);
    closing.push(control.close);
    return {
      cloud,
      platform,
      storefronts,
      controlUrl: control.url,
      directory,
      close,
      readyLine: () => readyLine(platform, cloud, storefronts, control.url, accounts),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readyLine(
  platform: Platform,
  cloud: Cloud,
  storefronts: Storefronts,
  controlUrl: string,
  { webhookUrl, credentialsOf }: Accounts,
): Promise<ReadyLine> {
  return {
    ready: true,
    apiUrl: cloud.apiUrl,
    controlUrl,
    issuerUrl: storefronts.issuer.url,
    platform: platform.urls,
    aws: { endpointUrl: cloud.awsUrl, region: cloud.region, ...ADMIN },
    storefront: { ...storefronts.all, accessToken: await storefronts.accessToken(storefronts.all) },
    storefronts: storefronts.single,
    isv: { ...platform.isv, webhookUrl: webhookUrl(isvOwner) },
    merchants: platform.merchants.map((merchant) => ({
      ...merchant,
      webhookUrl: webhookUrl(merchant.merchantId),
      credentials: credentialsOf(merchant),
    })),
  };
}

async function startControl(platform: Platform, cloud: Cloud): Promise<{ url: string; close: () => Promise<void> }> {
  const app = controlApp(platform.control, cloud.control);
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve({
        url: `http://127.0.0.1:${port}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            if ('closeAllConnections' in server) {
              server.closeAllConnections();
            }
          }),
      }),
    );
  });
}

/** Reports what is ready and how long it took, in real time, because the virtual clock may be advanced meanwhile. */
function progress(onProgress: (line: string) => void): (line: string) => void {
  let last = performance.now();
  return (line) => {
    const now = performance.now();
    onProgress(`${((now - last) / 1000).toFixed(1).padStart(5)} s  ${line}`);
    last = now;
  };
}
