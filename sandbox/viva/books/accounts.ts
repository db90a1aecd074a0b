/**
 * The platform's customers: merchant accounts, accounts connected to an ISV, and the ISV itself, each with its
 * credential sets (docs/viva.md, "Credentials"). Ids are made from the seed. A reset keeps them.
 */
import type { Clock } from '../../clock.ts';
import { Random } from '../random.ts';

export interface Client {
  clientId: string;
  clientSecret: string;
}

export type ClientSet = 'pos' | 'smartCheckout' | 'native' | 'isv';
export type CredentialSet = ClientSet | 'apiKey' | 'reseller';

export interface SandboxMerchant {
  readonly merchantId: string;
  readonly mode: 'merchant' | 'isv';
  readonly country: string;
  readonly industry: string;
  readonly terminals: readonly string[];
  readonly credentials: {
    readonly pos: Client;
    readonly smartCheckout: Client;
    readonly native: Client;
    apiKey: string;
  };
}

/** What the staff of the platform or the owner of the account can enable. */
interface AccountRights {
  tokenizationRole: boolean;
  nativeCheckout: boolean;
  allowRefunds: boolean;
  allowCaptures: boolean;
  rf: boolean;
}

export interface Account extends SandboxMerchant {
  readonly personId: string;
  readonly currencyCode: string;
  readonly sourceCode: string;
  readonly webhookKey: string;
  readonly rights: AccountRights;
}

export interface Isv extends Client {
  readonly resellerId: string;
  resellerApiKey: string;
  readonly personId: string;
  readonly webhookKey: string;
}

const SCOPES: Readonly<Record<ClientSet, readonly string[]>> = {
  pos: ['ecr:api', 'core:api:posmanagement', 'core:api:posmanagement:usercodes:verify'],
  smartCheckout: ['core:api:redirectcheckout', 'core:api:acquiring', 'core:api:acquiring:transactions'],
  native: ['core:api:nativecheckoutv2'],
  isv: ['core:api:isv', 'core:api:redirectcheckout', 'ecr:api'],
};

/**
 * Hospitality accounts may send additional metadata, retail accounts may not. The last account is not in Greece, so it
 * has no RF codes.
 */
const ACCOUNTS = [
  { mode: 'merchant', country: 'GR', industry: 'Hospitality' },
  { mode: 'merchant', country: 'GR', industry: 'Retail' },
  { mode: 'isv', country: 'GR', industry: 'Retail' },
  { mode: 'isv', country: 'CY', industry: 'Hospitality' },
] as const;

const EURO = '978';

export class Accounts {
  readonly all: readonly Account[];
  readonly isv: Isv;
  readonly #clock: Clock;
  readonly #random: Random;
  /** Secrets that a rotation replaced, and until when they still work: `id secret` → epoch milliseconds. */
  readonly #graceUntil = new Map<string, number>();

  constructor(seed: number, clock: Clock) {
    this.#clock = clock;
    this.#random = new Random(seed);
    this.all = ACCOUNTS.map((kind, index) => this.#account(kind, index));
    this.isv = {
      ...this.#client(''),
      resellerId: this.#random.uuid(),
      resellerApiKey: this.#secret(),
      personId: this.#random.uuid(),
      webhookKey: this.#random.hex(40).toUpperCase(),
    };
  }

  find(merchantId: string | undefined): Account | undefined {
    return this.all.find((account) => account.merchantId === merchantId?.toLowerCase());
  }

  /** The account of an OAuth client. The client of the ISV belongs to no account. */
  clientOf(clientId: string): { set: ClientSet; client: Client; account?: Account } | undefined {
    if (clientId === this.isv.clientId) {
      return { set: 'isv', client: this.isv };
    }
    for (const account of this.all) {
      for (const set of ['pos', 'smartCheckout', 'native'] as const) {
        if (account.credentials[set].clientId === clientId) {
          return { set, client: account.credentials[set], account };
        }
      }
    }
    return undefined;
  }

  scopesOf(set: ClientSet, account?: Account): string[] {
    const names = [...SCOPES[set]];
    if (set === 'smartCheckout' && account?.rights.tokenizationRole) {
      names.push('core:api:acquiring:cardtokenization');
    }
    return names.map((name) => `urn:viva:payments:${name}`);
  }

  accepts(id: string, given: string, current: string): boolean {
    return given === current || (this.#graceUntil.get(`${id} ${given}`) ?? 0) > this.#clock.now();
  }

  /** Gives a credential set a new secret. The old one works for another `graceSeconds`. */
  rotate(owner: Account | 'isv', set: CredentialSet, graceSeconds: number): Record<string, string> {
    const until = this.#clock.now() + graceSeconds * 1000;
    if (set === 'reseller') {
      this.#graceUntil.set(`${this.isv.resellerId} ${this.isv.resellerApiKey}`, until);
      this.isv.resellerApiKey = this.#secret();
      return { resellerId: this.isv.resellerId, resellerApiKey: this.isv.resellerApiKey };
    }
    if (set === 'apiKey' && owner !== 'isv') {
      this.#graceUntil.set(`${owner.merchantId} ${owner.credentials.apiKey}`, until);
      owner.credentials.apiKey = this.#secret();
      return { apiKey: owner.credentials.apiKey };
    }
    const client = owner === 'isv' ? this.isv : owner.credentials[set as 'pos'];
    this.#graceUntil.set(`${client.clientId} ${client.clientSecret}`, until);
    client.clientSecret = this.#secret();
    return { clientId: client.clientId, clientSecret: client.clientSecret };
  }

  /** Enables everything again. The accounts themselves stay. */
  resetRights(): void {
    for (const account of this.all) {
      Object.assign(account.rights, rightsOf(account.country));
    }
  }

  #account(kind: (typeof ACCOUNTS)[number], index: number): Account {
    return {
      ...kind,
      merchantId: this.#random.uuid(),
      personId: this.#random.uuid(),
      currencyCode: EURO,
      sourceCode: 'Default',
      webhookKey: this.#random.hex(40).toUpperCase(),
      terminals: [0, 1].map((terminal) => String(16_001_369 + index * 10 + terminal)),
      rights: rightsOf(kind.country),
      credentials: {
        pos: this.#client(''),
        smartCheckout: this.#client('.apps.vivapayments.com'),
        native: this.#client(''),
        apiKey: this.#secret(),
      },
    };
  }

  #client(suffix: string): Client {
    return { clientId: `${this.#random.alphanumeric(28)}${suffix}`, clientSecret: this.#secret() };
  }

  /** Marked, so that a scan of logs and histories finds a leak. */
  #secret(): string {
    return `CANARY${this.#random.alphanumeric(24)}`;
  }
}

function rightsOf(country: string): AccountRights {
  return {
    tokenizationRole: true,
    nativeCheckout: true,
    allowRefunds: true,
    allowCaptures: true,
    rf: country === 'GR',
  };
}
