/** The result of a sample as text: the rate by kind and by folder, and each survivor. */
import { dirname } from 'node:path';
import type { Mutant } from './mutants.ts';

export interface Trial {
  readonly mutant: Mutant;
  /** The project whose tests failed or did not end; none when the mutant survived. */
  readonly killedBy?: string;
  readonly timedOut: boolean;
  /** How many test files could have noticed. */
  readonly tests: number;
}

export interface Score {
  readonly tried: number;
  readonly killed: number;
  readonly timedOut: number;
  /** Survivors that the source argues; they do not count. */
  readonly argued: number;
  /** The rate of those that count, in percent; 100 when there are none. */
  readonly rate: number;
}

export function scoreOf(trials: readonly Trial[]): Score {
  const killed = trials.filter((trial) => trial.killedBy !== undefined);
  const argued = trials.filter(isArgued).length;
  const counted = trials.length - argued;
  return {
    tried: trials.length,
    killed: killed.length,
    timedOut: killed.filter(({ timedOut }) => timedOut).length,
    argued,
    rate: counted === 0 ? 100 : (100 * killed.length) / counted,
  };
}

export function report(trials: readonly Trial[]): string {
  const survivors = trials.filter((trial) => trial.killedBy === undefined && !isArgued(trial));
  return [
    table('kind', trials, ({ mutant }) => mutant.kind),
    table('folder', trials, ({ mutant }) => dirname(mutant.file)),
    ...section(
      'ended by time-out',
      trials.filter(({ timedOut }) => timedOut),
    ),
    ...section('argued in place', trials.filter(isArgued)),
    ...section('survivors', survivors),
    line('all', scoreOf(trials)),
  ].join('\n\n');
}

export function lineOf({ mutant, tests }: Trial): string {
  const reached = tests === 0 ? 'no test reaches it' : `${tests} test files`;
  const change = `${shown(mutant.before)} → ${mutant.after === ';' ? '(removed)' : shown(mutant.after)}`;
  return `${mutant.file}:${mutant.line}  ${mutant.kind}  ${change}  (${mutant.argued ?? reached})`;
}

function isArgued({ killedBy, mutant }: Trial): boolean {
  return killedBy === undefined && mutant.argued !== undefined;
}

function table(title: string, trials: readonly Trial[], nameOf: (trial: Trial) => string): string {
  const groups = Object.entries(Object.groupBy(trials, nameOf)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [`by ${title}`, ...groups.map(([name, group]) => `  ${line(name, scoreOf(group ?? []))}`)].join('\n');
}

function line(name: string, { tried, killed, timedOut, argued, rate }: Score): string {
  const more = [timedOut > 0 && `${timedOut} by time-out`, argued > 0 && `${argued} argued`].filter(
    (one) => one !== false,
  );
  const detail = more.length > 0 ? ` (${more.join(', ')})` : '';
  return `${name.padEnd(44)} ${rate.toFixed(1).padStart(5)} %  ${killed} of ${tried}${detail}`;
}

function section(title: string, trials: readonly Trial[]): readonly string[] {
  return trials.length === 0 ? [] : [[title, ...trials.map((trial) => `  ${lineOf(trial)}`)].join('\n')];
}

/** On one line, and shortened. */
function shown(text: string): string {
  const flat = text.replace(/\s+/g, ' ');
  return flat.length > 100 ? `${flat.slice(0, 99)}…` : flat;
}
