/** The tokens table in memory with the real semantics of the store: revisions, and expired items that count as absent. */
import type { TokenKind, Tokens } from '../../shared/tokens/store.ts';

interface Row {
  readonly value: object;
  readonly expiresAt: number;
  readonly revision: number;
}

export class MemoryTokens implements Tokens {
  readonly rows = new Map<string, Row>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  readonly get: Tokens['get'] = async (kind, id) => {
    await Promise.resolve(); // Another writer may run in between.
    const row = this.#live(kind, id);
    return row && (structuredClone({ ...row.value, revision: row.revision }) as never);
  };

  readonly put: Tokens['put'] = async (kind, id, value, expiresAt, expected) => {
    await Promise.resolve();
    const stored = expected === 0 ? this.#live(kind, id) : this.rows.get(`${kind}#${id}`);
    if ((stored?.revision ?? 0) !== expected) {
      return false;
    }
    this.rows.set(`${kind}#${id}`, { value: structuredClone(value), expiresAt, revision: expected + 1 });
    return true;
  };

  async remove(kind: TokenKind, id: string): Promise<void> {
    await Promise.resolve();
    this.rows.delete(`${kind}#${id}`);
  }

  #live(kind: TokenKind, id: string): Row | undefined {
    const row = this.rows.get(`${kind}#${id}`);
    return row !== undefined && row.expiresAt > Math.floor(this.#now() / 1000) ? row : undefined;
  }
}
