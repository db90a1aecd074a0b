import { describe, expect, it } from 'vitest';
import { actReference, idAtEndOf, reference } from '../../../../shared/payments/references.ts';

const ID = '7e6c1f8e-5b0f-8c57-9a53-0a1b6f2f7f20';
const ACT_ID = '7e6c1f8e-5b0f-8c57-9a53-0a1b6f2f7f21';
const OTHER_ID = '0b9f4a52-6d0e-4c53-8f1c-6a3f0d3c9a77';

describe('our id at the end of a reference', () => {
  it.each([
    ['alone', reference(undefined, ID)],
    ['behind the merchant’s own text', reference('room 12', ID)],
    ['behind an id of the merchant’s own', reference(OTHER_ID, ID)],
    ['behind a text that looks like the reference of an act', reference(`${OTHER_ID}/`, ID)],
    ['in capitals', reference('room 12', ID.toUpperCase())],
    ['of an act on it', actReference('room 12', ID, ACT_ID)],
    ['of an act on it, alone', actReference(undefined, ID, ACT_ID)],
    ['of an act on it, behind a text that looks like one', actReference(`${OTHER_ID}/${OTHER_ID}`, ID, ACT_ID)],
  ])('is found %s', (_, text) => {
    expect(idAtEndOf(text)).toBe(ID);
  });

  it.each(['', 'room 12', `${ID} `, `${ID}x`, ID.slice(1)])('is none in "%s"', (text) => {
    expect(idAtEndOf(text)).toBeUndefined();
  });

  it('of an act ends with the act’s own, so that each has one of its own', () => {
    expect(actReference('room 12', ID, ACT_ID)).toMatch(new RegExp(`^room 12 .*${ACT_ID}$`));
  });
});
