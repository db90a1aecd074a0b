/** A lost race is over in milliseconds; a little disorder keeps many writers from losing together. */
export function pause(attempt: number): Promise<void> {
  // mutant arithmetic: only how long a loser waits
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** Math.min(attempt, 5)));
}
