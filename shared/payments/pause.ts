/** Waits some milliseconds after a lost race. The time is random, so that many writers do not collide again. */
export function pause(attempt: number): Promise<void> {
  // mutant arithmetic: only how long a loser waits
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** Math.min(attempt, 5)));
}
