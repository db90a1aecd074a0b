/** The options of `npm run simulate`. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run simulate -- [options]

Plays random scenarios of sales, charges, holds and RF orders, with faults of the platform and of AWS,
in virtual time. A seed always plays the same scenario in the same way. Ctrl-C stops after the seeds
that are being played.

  --seeds N          how many seeds to play (default: until --minutes are over, or 100)
  --from S           the first seed (default: 1; with --minutes it is taken from the clock, and printed)
  --minutes M        start no new seed after so many minutes
  --seed S           play this seed only
  --trace            print every call of every function
  --jobs J           processes (default: one for each core)
  --switches a=b,…   set switches of the platform in every scenario
  --keep-going       do not stop at the first broken invariant
  --no-shrink        print the failing scenario as it was drawn, without making it smaller
  --continue         play seeds from 1 on, and keep the record of them in coverage/simulation.json.
                     The next run with --continue goes on from there, until --seeds N are recorded in all.
                     Without --seeds and --minutes it runs until Ctrl-C. A change of the code starts a new record.
  --report           play nothing, and write docs/reliability.md from the record of --continue`;

export interface Options {
  readonly help: boolean;
  readonly report: boolean;
  readonly continues: boolean;
  /** Only one seed is played. */
  readonly single: boolean;
  readonly from: number;
  /** With `continues`: in all. */
  readonly seeds: number;
  readonly minutes: number;
  readonly jobs: number;
  readonly switches: Readonly<Record<string, string | number>>;
  readonly trace: boolean;
  readonly keepsGoing: boolean;
  readonly shrinks: boolean;
  /** A synthesized template as JSON, which plant.ts shares. */
  readonly assembly?: string;
}

/** Throws an error for a person when an option is wrong. */
export function readOptions(args?: string[]): Options {
  const { values } = parseArgs({
    ...(args && { args }),
    options: {
      seeds: { type: 'string' },
      from: { type: 'string' },
      minutes: { type: 'string' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      jobs: { type: 'string' },
      switches: { type: 'string', default: '' },
      'keep-going': { type: 'boolean', default: false },
      'no-shrink': { type: 'boolean', default: false },
      continue: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      assembly: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const numberOf = (name: 'seeds' | 'from' | 'minutes' | 'seed' | 'jobs', otherwise: number): number => {
    const number = values[name] === undefined ? otherwise : Number(values[name]);
    const isWhole = name === 'minutes' || number === Number.POSITIVE_INFINITY || Number.isInteger(number);
    if (!isWhole || number < (name === 'from' || name === 'seed' ? 0 : 1e-3)) {
      throw new Error(`--${name} needs a number above 0 (see npm run simulate -- --help)`);
    }
    return number;
  };
  const { continue: continues, assembly } = values;
  const excluded = (['from', 'seed', 'switches', 'keep-going'] as const).find((name) => values[name]);
  if (continues && excluded !== undefined) {
    throw new Error(`--continue plays the seeds from 1 on as they are drawn: leave --${excluded} out`);
  }
  const minutes = numberOf('minutes', Number.POSITIVE_INFINITY);
  const isTimed = minutes < Number.POSITIVE_INFINITY;
  const single = values.seed !== undefined;
  /** A time-limited run proves something new each time; the first seed is printed, so that it can be repeated. */
  const from = numberOf('from', isTimed && !continues ? Date.now() % 2 ** 31 : 1);
  const seeds = numberOf('seeds', isTimed || continues ? Number.POSITIVE_INFINITY : 100);
  return {
    help: values.help,
    report: values.report,
    continues,
    single,
    from: single ? numberOf('seed', 1) : from,
    seeds: single ? 1 : seeds,
    minutes,
    jobs: Math.min(numberOf('jobs', availableParallelism()), single ? 1 : seeds),
    switches: switchesOf(values.switches),
    trace: values.trace,
    keepsGoing: values['keep-going'],
    shrinks: !values['no-shrink'],
    ...(assembly !== undefined && { assembly }),
  };
}

/** `a=1,b=two`. */
function switchesOf(text: string): Options['switches'] {
  return Object.fromEntries(
    text
      .split(',')
      .filter(Boolean)
      .map((one) => {
        const [name = '', value = ''] = one.split('=');
        return [name, /^\d+$/.test(value) ? Number(value) : value];
      }),
  );
}
