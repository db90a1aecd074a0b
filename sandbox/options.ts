/** The command line of `npm start`. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

export interface Options {
  readonly port: number;
  readonly seed: number;
  /** Prints only the ready line on stdout; no demonstration. */
  readonly json: boolean;
  /** Runs the demonstration and exits. */
  readonly once: boolean;
  readonly help: boolean;
}

export const HELP = `Usage: npm start -- [options]

Boots the whole of tillflow on this machine, runs one card-present sale with a charge and one bank transfer, and stays up.

  --port N   port of the storefront API (default 8787; 0 for any free one); all others are free ones
  --once     run the demonstration, compare it with the simulator's ledger, and exit: 0 only if they agree
  --json     no demonstration: print one line of JSON when ready, and nothing else on stdout
  --seed N   seed of the simulator's accounts and ids (default 1)
  --help     this text
`;

/** Throws an Error whose message is one clear line. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArguments({
    args: withNumbers(args),
    options: {
      port: { type: 'string', default: '8787' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      once: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  });
  if (values.json && values.once) {
    throw new Error('--json and --once cannot be combined, because --once prints a demonstration.');
  }
  return {
    port: integer('--port', values.port, 65_535),
    seed: integer('--seed', values.seed, 2 ** 31 - 1),
    json: values.json,
    once: values.once,
    help: values.help,
  };
}

/** As parseArgs, whose own message for an option without its value is hard to understand. */
export function parseArguments<T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    const { message } = error as Error;
    const [, option] = /^Option '(?:-\w, )?(--[\w-]+).*' argument (?:missing|is ambiguous)/.exec(message) ?? [];
    throw option === undefined ? error : new Error(`${option} needs a value`);
  }
}

export function integer(name: string, text: string, max: number, min = 0): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  }
  return value;
}

/** The arguments for parseArgs, which alone would take the -1 of `--port -1` for an option. */
export function withNumbers(args: readonly string[]): string[] {
  const read: string[] = [];
  for (const arg of args) {
    const isNumber = /^-\d/.test(arg) && read.length > 0;
    read.push(isNumber ? `${read.pop()}=${arg}` : arg);
  }
  return read;
}
