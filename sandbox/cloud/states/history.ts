/**
 * The history of an execution in the format of `GetExecutionHistory`. It contains inputs, outputs and arguments in
 * full, because the cloud would show secrets there, too.
 */
import type { HistoryEvent } from '../seams.ts';

export class History {
  readonly events: HistoryEvent[] = [];
  dropped = false;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** `key` names the details object when the API's name for it is not the event's type. */
  add(type: string, details: Readonly<Record<string, unknown>>, key = lowerFirst(type)): void {
    const id = this.events.length + 1;
    const known = Object.entries(details).filter(([, value]) => value !== undefined);
    this.events.push({
      id,
      previousEventId: previousEventId(id),
      timestamp: this.#now(),
      type,
      ...(known.length > 0 && { [`${key}EventDetails`]: Object.fromEntries(known) }),
    });
  }

  /** Forgets the events of an execution that has ended. */
  drop(): void {
    this.events.length = 0;
    this.dropped = true;
  }

  stateEntered(type: string, name: string, input: string): void {
    this.add(`${type}StateEntered`, { name, ...data('input', input) }, 'stateEntered');
  }

  stateExited(type: string, name: string, output: string, assigned: Readonly<Record<string, string>>): void {
    const variables = Object.keys(assigned).length > 0 ? data('assignedVariables', assigned) : {};
    this.add(`${type}StateExited`, { name, ...data('output', output), ...variables }, 'stateExited');
  }
}

/** Data with the note that it was not truncated, as in every detail. */
export function data(name: string, value: unknown): Record<string, unknown> {
  return { [name]: value, [`${name}Details`]: { truncated: false } };
}

/** AWS links the first event of a state to nothing as well. */
function previousEventId(id: number): number {
  return id <= 2 ? 0 : id - 1;
}

function lowerFirst(type: string): string {
  return type.charAt(0).toLowerCase() + type.slice(1);
}
