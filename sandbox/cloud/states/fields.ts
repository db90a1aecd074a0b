/**
 * The fields of a state, evaluated for one visit and checked for their type. A field that cannot be evaluated adds an
 * event to the history and fails the state.
 */
import { EvaluationError } from './errors.ts';
import { evaluate, type Scope } from './expression.ts';
import type { History } from './history.ts';
import type { Json } from './json.ts';

export class Fields {
  readonly #state: string;
  readonly #scope: Scope;
  readonly #history: History;

  constructor(state: string, scope: Scope, history: History) {
    this.#state = state;
    this.#scope = scope;
    this.#history = history;
  }

  /** The same with more in `$states`: a result or an error output. */
  with(more: Partial<Scope['states']>): Fields {
    return new Fields(this.#state, { ...this.#scope, states: { ...this.#scope.states, ...more } }, this.#history);
  }

  async value(template: Json, field: string): Promise<Json> {
    try {
      return await evaluate(template, this.#scope, field);
    } catch (error) {
      throw error instanceof EvaluationError ? this.#recorded(error) : error;
    }
  }

  async text(template: string, field: string): Promise<string> {
    const value = await this.value(template, field);
    return typeof value === 'string' ? value : this.#wrongKind(field, 'a string');
  }

  async truth(template: string | boolean, field: string): Promise<boolean> {
    const value = await this.value(template, field);
    return typeof value === 'boolean' ? value : this.#wrongKind(field, 'true or false');
  }

  async seconds(template: string | number, field: string, least: 0 | 1): Promise<number> {
    const value = await this.value(template, field);
    const fits = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= MAX_SECONDS;
    return fits ? value : this.#wrongKind(field, `a whole number from ${least} to ${MAX_SECONDS}`);
  }

  async time(template: string, field: string): Promise<number> {
    const value = Date.parse(await this.text(template, field));
    return Number.isNaN(value) ? this.#wrongKind(field, 'a timestamp') : value;
  }

  #wrongKind(field: string, kind: string): never {
    throw this.#recorded(new EvaluationError(field, `The value of the field '${field}' must be ${kind}.`));
  }

  #recorded(failure: EvaluationError): EvaluationError {
    const { error, failureCause: cause, location } = failure;
    this.#history.add('EvaluationFailed', { error, cause, location, state: this.#state });
    return failure;
  }
}

/** The maximum in Step Functions. */
export const MAX_SECONDS = 99_999_999;
