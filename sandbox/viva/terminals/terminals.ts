/** The virtual terminals. The control API sets how each behaves, and a reset clears it. */
import type { Account } from '../books/accounts.ts';
import type { CardName } from '../books/cards.ts';

export const TERMINAL_MODES = ['auto', 'manual', 'offline', 'busy'] as const;
export type TerminalMode = (typeof TERMINAL_MODES)[number];

export const MODE_MEANINGS: Readonly<Record<TerminalMode, string>> = {
  auto: 'the card is presented after delayMs',
  manual: 'waits for an action',
  offline: 'receives no session: each stays pending for ever, aborted or not',
  busy: 'every session ends at once with 1001; in every mode a second session ends with 1100 while one is open',
};

export interface Terminal {
  readonly terminalId: string;
  readonly merchantId: string;
  mode: TerminalMode;
  /** In mode `auto`: until the payer presents the card. */
  delayMs: number;
  card: CardName;
}

const DEFAULTS = { mode: 'auto', delayMs: 300, card: 'visa' } as const;

export class Terminals {
  readonly #terminals: readonly Terminal[];

  constructor(accounts: readonly Account[]) {
    this.#terminals = accounts.flatMap(({ merchantId, terminals }) =>
      terminals.map((terminalId) => ({ terminalId, merchantId, ...DEFAULTS })),
    );
  }

  find(terminalId: string): Terminal | undefined {
    return this.#terminals.find((terminal) => terminal.terminalId === terminalId);
  }

  list(): readonly Terminal[] {
    return this.#terminals;
  }

  reset(): void {
    for (const terminal of this.#terminals) {
      Object.assign(terminal, DEFAULTS);
    }
  }
}
