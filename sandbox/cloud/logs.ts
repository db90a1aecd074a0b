/** The log lines of all functions in the order in which they were written; the oldest are dropped beyond a limit. */
import type { Clock } from '../clock.ts';
import { RecentList } from '../recent.ts';

export interface LogLine {
  readonly seq: number;
  readonly at: string;
  readonly functionName: string;
  readonly requestId?: string;
  /** The JSON object that the function logged, or else the text. */
  readonly message: unknown;
}

const MAX_LINES = 20_000;

export class Logs {
  readonly #clock: Clock;
  readonly #lines = new RecentList<LogLine>(MAX_LINES);
  #seq = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(functionName: string, requestId: string | undefined, text: string): void {
    const at = new Date(this.#clock.now()).toISOString();
    for (const line of text.split('\n').filter((line) => line !== '')) {
      const message = parsed(line);
      this.#lines.add({ seq: ++this.#seq, at, functionName, ...(requestId && { requestId }), message });
    }
  }

  get dropped(): number {
    return this.#lines.dropped;
  }

  after(seq: number): LogLine[] {
    return this.#lines.entries.filter((line) => line.seq > seq);
  }

  clear(): void {
    this.#lines.clear();
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
