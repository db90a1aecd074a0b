/**
 * Task tokens, by which outside work completes a task. A token is opaque, belongs to one attempt of one task, and is
 * kept for long, so that a late caller learns that the task is over, not that the token is unknown.
 */
import { randomBytes } from 'node:crypto';
import { RecentMap } from '../../recent.ts';
import { AwsError } from '../seams.ts';
import type { StatesError } from './errors.ts';
import type { Json } from './json.ts';

export interface OpenTask {
  succeed(output: Json): void;
  fail(failure: StatesError): void;
  heartbeat(): void;
}

/** The prefix of every token; anything else is malformed rather than unknown. */
const HEADER = Buffer.from('0000002a00000003', 'hex');
const TOKEN_BYTES = 384;
/** More than wait at a time. */
const MAX_TOKENS = 50_000;

export class TaskTokens {
  readonly #machines = new RecentMap<string>(MAX_TOKENS);
  readonly #open = new Map<string, OpenTask>();

  issue(machineArn: string): string {
    const token = Buffer.concat([HEADER, randomBytes(TOKEN_BYTES - HEADER.length)]).toString('base64');
    this.#machines.set(token, machineArn);
    return token;
  }

  open(token: string, task: OpenTask): void {
    this.#open.set(token, task);
  }

  close(token: string): void {
    this.#open.delete(token);
  }

  machineOf(token: string): string | undefined {
    return this.#machines.get(token);
  }

  /** The task that waits for this token; otherwise throws the error of Step Functions. */
  find(token: string): OpenTask {
    const task = this.#open.get(token);
    if (task !== undefined) {
      return task;
    }
    if (this.#machines.has(token)) {
      throw new AwsError('TaskTimedOut', 'Task Timed Out: the task has timed out or was already closed');
    }
    if (isWellFormed(token)) {
      throw new AwsError('TaskDoesNotExist', 'Task does not exist');
    }
    throw new AwsError('InvalidToken', 'Invalid Token: the provided token is not valid');
  }

  clear(): void {
    this.#machines.clear();
    this.#open.clear();
  }
}

function isWellFormed(token: string): boolean {
  const bytes = Buffer.from(token, 'base64');
  return bytes.length === TOKEN_BYTES && bytes.subarray(0, HEADER.length).equals(HEADER);
}
