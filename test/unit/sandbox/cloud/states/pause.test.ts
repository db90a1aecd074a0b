import { expect, it } from 'vitest';
import type { Clock } from '../../../../../sandbox/clock.ts';
import { pause } from '../../../../../sandbox/cloud/states/pause.ts';

it('a pause that ends at the moment its execution ends does not let it continue', async () => {
  const due: (() => void)[] = [];
  const clock = {
    schedule: (_delayMs: number, work: () => void) => {
      due.push(work);
      return { cancel: () => undefined };
    },
  };
  const over = new AbortController();
  const pausing = pause(clock as unknown as Clock, 1000, over.signal);

  due[0]?.();
  over.abort(new Error('the execution is over'));

  await expect(pausing).rejects.toThrow('the execution is over');
});
