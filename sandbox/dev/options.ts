/** The command line of `npm run dev`. */
import { type FunctionName, functionNames } from '../../infra/functions.ts';
import { integer, parseArguments, withNumbers } from '../options.ts';

export interface DevOptions {
  readonly port: number;
  readonly seed: number;
  /** The function that a debugger wants to attach to, and where. */
  readonly inspect: FunctionName | undefined;
  readonly inspectPort: number;
  readonly help: boolean;
}

export const DEV_HELP = `Usage: npm run dev -- [options]

Runs the sandbox and watches functions/ and shared/. When you save a change, the functions that use the file are rebuilt
and run the new code. Tables, the ledger and running executions are kept. If a function does not build, the error is
printed and the function keeps its old code. After a change in infra/ or sandbox/, restart this command.

  --inspect F       lets a debugger attach to the function F. Breakpoints work in the .ts files. F handles one event at a
                    time, and its own time-out becomes one hour. All other time-outs stay: an API request still ends
                    after 29 seconds, and a state of the state machine after its own time-out.
  --inspect-port N  port for the debugger, on 127.0.0.1 (default 9229)
  --port N          port of the storefront API (default 8787; 0 for any free one)
  --seed N          seed of the simulator's accounts and ids (default 1)
  --help            this text
`;

/** Throws an Error whose message is one clear line. */
export function parseDevOptions(args: readonly string[]): DevOptions {
  const { values } = parseArguments({
    args: withNumbers(args),
    options: {
      inspect: { type: 'string' },
      'inspect-port': { type: 'string', default: '9229' },
      port: { type: 'string', default: '8787' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  });
  const inspect = functionNames.find((name) => name === values.inspect);
  if (values.inspect !== undefined && inspect === undefined) {
    throw new Error(`there is no function ${values.inspect}; there are ${functionNames.join(', ')}`);
  }
  const port = integer('--port', values.port, 65_535);
  const inspectPort = integer('--inspect-port', values['inspect-port'], 65_535, 1);
  if (inspect !== undefined && port === inspectPort) {
    throw new Error('--port and --inspect-port must differ');
  }
  return {
    inspect,
    inspectPort,
    port,
    seed: integer('--seed', values.seed, 2 ** 31 - 1),
    help: values.help,
  };
}
