/** The log lines of all functions in the order in which they were written; the oldest are dropped beyond a limit. */
import type { Clock } from '../clock.ts';

export interface LogLine {
  readonly seq: number;
  readonly at: string;
  readonly functionName: string;
  readonly requestId?: string;
  /** The JSON object that the function logged, or else the text. */
  readonly message: unknown;
}

const MAX_LINES = 50_000;

export class Logs {
  readonly #clock: Clock;
  #lines: LogLine[] = [];
  #seq = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(functionName: string, requestId: string | undefined, text: string): void {
    const at = new Date(this.#clock.now()).toISOString();
    for (const line of text.split('\n').filter((line) => line !== '')) {
      const message = parsed(line);
      this.#lines.push({ seq: ++this.#seq, at, functionName, ...(requestId && { requestId }), message });
    }
    if (this.#lines.length > MAX_LINES) {
      this.#lines = this.#lines.slice(-MAX_LINES / 2);
    }
  }

  after(seq: number): LogLine[] {
    return this.#lines.filter((line) => line.seq > seq);
  }

  clear(): void {
    this.#lines = [];
  }
}

function parsed(line: string): unknown {
  if (!line.startsWith('{')) {
    return line;
  }
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
