/** Runs the work for 0 to `count` - 1 with limited concurrency, and resolves to the results in that order. */
export async function inParallel<T>(count: number, atOnce: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) {
      results[n] = await work(n);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
