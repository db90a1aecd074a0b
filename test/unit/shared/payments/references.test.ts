import { describe, expect, it } from 'vitest';
import { actReference, idAtEndOf, reference } from '../../../../shared/payments/references.ts';

const ID = '7e6c1f8e-5b0f-8c57-9a53-0a1b6f2f7f20';
const ACT_ID = '7e6c1f8e-5b0f-8c57-9a53-0a1b6f2f7f21';
const OTHER_ID = '0b9f4a52-6d0e-4c53-8f1c-6a3f0d3c9a77';

describe('our id at the end of a reference', () => {
  it.each([
    ['alone', reference(undefined, ID)],
    ['after the merchant’s own text', reference('room 12', ID)],
    ['after an id of the merchant', reference(OTHER_ID, ID)],
    ['after a text that looks like the reference of a capture or void', reference(`${OTHER_ID}/`, ID)],
    ['in capitals', reference('room 12', ID.toUpperCase())],
    ['in the reference of a capture or void', actReference('room 12', ID, ACT_ID)],
    ['in the reference of a capture or void without other text', actReference(undefined, ID, ACT_ID)],
    [
      'in the reference of a capture or void after a text that looks like one',
      actReference(`${OTHER_ID}/${OTHER_ID}`, ID, ACT_ID),
    ],
  ])('is found %s', (_, text) => {
    expect(idAtEndOf(text)).toBe(ID);
  });

  it.each(['', 'room 12', `${ID} `, `${ID}x`, ID.slice(1)])('is not found in "%s"', (text) => {
    expect(idAtEndOf(text)).toBeUndefined();
  });

  it('is followed by the capture’s or void’s own id, so that each has its own reference', () => {
    expect(actReference('room 12', ID, ACT_ID)).toMatch(new RegExp(`^room 12 .*${ACT_ID}$`));
  });
});
