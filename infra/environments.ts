/**
 * All environments, as data: what differs between them is here and nowhere else, and every construct reads it without
 * knowing which environment it serves. All are synthesized always.
 */
import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

export type EnvironmentName = 'demo' | 'production' | 'local';

export interface Environment {
  readonly name: EnvironmentName;
  /** The account stays open: it is the one whose credentials deploy. A customer-managed table key needs the region. */
  readonly region: string;
  readonly data: {
    /** Of tables, their key, secrets, logs and the user pool. */
    readonly removalPolicy: RemovalPolicy;
    readonly deletionProtection: boolean;
    /**
     * Keys over which items that are due are spread (ADR 12). It may grow, never shrink: items in a removed shard would not
     * be found.
     */
    readonly dueShards: number;
  };
  readonly logRetention: RetentionDays;
  readonly platform: {
    readonly authUrl: string;
    readonly apiUrl: string;
    readonly baseUrl: string;
  };
  /** Who signs the storefronts' tokens. */
  readonly issuer: OwnIssuer | CognitoIssuer;
  readonly webhooks: {
    /** Addresses the platform sends from; it has changed them several times. */
    readonly sources: readonly string[];
    /** `enforce`: the resource policy of the API refuses every other address. `observe`: a metric counts them. */
    readonly mode: 'observe' | 'enforce';
  };
  readonly callbacks: {
    /** Callback addresses without TLS, and of our own network: for receivers on the machine of the sandbox. */
    readonly allowPrivate: boolean;
  };
  /** Requests per second of the whole API, and of each POST alone. */
  readonly throttle: { readonly api: Throttle; readonly post: Throttle };
  /** A web application firewall in front of the API (AWS WAF), where there is one. */
  readonly firewall?: {
    /** Requests from one address in five minutes before it is refused. */
    readonly requestsPerAddress: number;
  };
  /**
   * How many invocations run at once, of each function that others can keep busy, so that sales never starve: reads that
   * wait, the platform's messages and what they lead to, and callbacks to receivers that may not answer.
   */
  readonly concurrency: { readonly reads: number; readonly webhooks: number; readonly callbacks: number };
}

interface Throttle {
  readonly rate: number;
  readonly burst: number;
}

/** An OpenID Connect issuer the merchant has already. */
export interface OwnIssuer {
  readonly kind: 'own';
  readonly url: string;
  /** Empty: not checked. */
  readonly audience: string;
}

/** A user pool the stack creates. */
export interface CognitoIssuer {
  readonly kind: 'cognito';
  /** Merchants a storefront's client can be limited to; `merchants/all` exists always. */
  readonly merchantIds: readonly string[];
}

export const environments: Readonly<Record<EnvironmentName, Environment>> = {
  demo: {
    name: 'demo',
    region: 'eu-central-1',
    data: { removalPolicy: RemovalPolicy.DESTROY, deletionProtection: true, dueShards: 2 },
    logRetention: RetentionDays.ONE_MONTH,
    platform: {
      authUrl: 'https://demo-accounts.vivapayments.com',
      apiUrl: 'https://demo-api.vivapayments.com',
      baseUrl: 'https://demo.vivapayments.com',
    },
    issuer: { kind: 'cognito', merchantIds: [] },
    webhooks: {
      sources: [
        '20.50.240.57',
        '40.74.20.78',
        '20.13.195.185',
        '135.225.16.50',
        '195.167.87.180',
        '195.167.87.181',
        '94.70.170.65',
        '94.70.174.36',
        '94.70.255.73',
        '94.70.248.18',
        '83.235.24.226',
      ],
      mode: 'observe',
    },
    callbacks: { allowPrivate: false },
    throttle: { api: { rate: 50, burst: 100 }, post: { rate: 10, burst: 20 } },
    firewall: { requestsPerAddress: 3_000 },
    concurrency: { reads: 20, webhooks: 10, callbacks: 10 },
  },
  production: {
    name: 'production',
    region: 'eu-central-1',
    data: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, deletionProtection: true, dueShards: 16 },
    logRetention: RetentionDays.ONE_YEAR,
    platform: {
      authUrl: 'https://accounts.vivapayments.com',
      apiUrl: 'https://api.vivapayments.com',
      baseUrl: 'https://www.vivapayments.com',
    },
    issuer: { kind: 'cognito', merchantIds: [] },
    webhooks: {
      sources: [
        '51.138.37.238',
        '20.54.89.16',
        '4.223.76.50',
        '40.127.253.112/28',
        '51.105.129.192/28',
        '51.12.157.0/28',
        '13.80.70.181',
        '13.80.71.223',
        '13.79.28.70',
      ],
      mode: 'enforce',
    },
    callbacks: { allowPrivate: false },
    throttle: { api: { rate: 200, burst: 400 }, post: { rate: 50, burst: 100 } },
    firewall: { requestsPerAddress: 30_000 },
    concurrency: { reads: 100, webhooks: 50, callbacks: 25 },
  },
  local: {
    name: 'local',
    region: 'eu-central-1',
    data: { removalPolicy: RemovalPolicy.DESTROY, deletionProtection: false, dueShards: 2 },
    logRetention: RetentionDays.ONE_DAY,
    // The sandbox starts on free ports and gives the real addresses as parameters.
    platform: { authUrl: 'http://127.0.0.1', apiUrl: 'http://127.0.0.1', baseUrl: 'http://127.0.0.1' },
    issuer: { kind: 'own', url: 'http://127.0.0.1', audience: '' },
    webhooks: { sources: ['127.0.0.1', '::1'], mode: 'enforce' },
    callbacks: { allowPrivate: true },
    throttle: { api: { rate: 500, burst: 1_000 }, post: { rate: 250, burst: 500 } },
    concurrency: { reads: 50, webhooks: 40, callbacks: 10 },
  },
};
