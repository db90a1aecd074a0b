/**
 * The log of the newest requests to the platform, for tests: what was sent, with which credentials, and what was answered.
 */
import { RecentList } from '../../recent.ts';
import type { CredentialSet } from '../books/accounts.ts';

export type Host = 'auth' | 'api' | 'base';

export interface LoggedRequest {
  readonly seq: number;
  readonly at: string;
  readonly host: Host;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly credentialSet: CredentialSet | null;
  /** The owner of the credentials, or the merchant that an ISV names. */
  readonly merchantId: string | null;
  readonly bodyText: string;
  /** Null if there is no answer, or no answer yet. */
  status: number | null;
  eventId: number | null;
  /** The name of the fault that struck it. */
  fault: string | null;
}

const MAX_REQUESTS = 20_000;

export class Requests {
  readonly #log = new RecentList<LoggedRequest>(MAX_REQUESTS);

  add(request: Omit<LoggedRequest, 'seq'>): LoggedRequest {
    const entry = { seq: this.#log.added + 1, ...request };
    this.#log.add(entry);
    return entry;
  }

  get dropped(): number {
    return this.#log.dropped;
  }

  list(after = 0, path = ''): LoggedRequest[] {
    return this.#log.entries.filter((entry) => entry.seq > after && entry.path.includes(path));
  }

  clear(): void {
    this.#log.clear();
  }
}
