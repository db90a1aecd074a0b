import { describe, expect, it } from 'vitest';
import { RecentList, RecentMap } from '../../../sandbox/recent.ts';

describe('a list of recent entries', () => {
  const listOf = (count: number) => {
    const list = new RecentList<number>(3);
    for (let n = 1; n <= count; n++) {
      list.add(n);
    }
    return list;
  };

  it.each([
    [2, [1, 2], 0],
    [3, [1, 2, 3], 0],
    [4, [2, 3, 4], 1],
    [6, [4, 5, 6], 3],
    [100, [98, 99, 100], 97],
  ])('of %i entries keeps the newest and counts the dropped ones', (count, entries, dropped) => {
    const list = listOf(count);

    expect(list.entries).toEqual(entries);
    expect({ added: list.added, dropped: list.dropped }).toEqual({ added: count, dropped });
  });

  it('starts again when it is cleared', () => {
    const list = listOf(10);

    list.clear();

    expect(list).toMatchObject({ entries: [], added: 0, dropped: 0 });
  });
});

it('a map of recent entries drops the one that was added first', () => {
  const map = new RecentMap<number>(2);

  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);

  expect([...map]).toEqual([
    ['b', 2],
    ['c', 4],
  ]);
  expect(map.dropped).toBe(1);
});
