import { expect, it } from 'vitest';
import { parseJson } from '../../../../shared/viva/json.ts';

it('keeps every digit of a number that JavaScript cannot represent', () => {
  expect(parseJson('{"orderCode":9948100551072601,"large":99481005510726017}')).toEqual({
    orderCode: '9948100551072601',
    large: '99481005510726017',
  });
});

it('keeps the text of a decimal, even of a whole one', () => {
  expect(parseJson('[30.00, 1.1, 1e2, -0.5]')).toEqual(['30.00', '1.1', '1e2', '-0.5']);
});

it('returns ordinary numbers, texts and structures unchanged', () => {
  expect(parseJson('{"a":[1,-2,0,"3.0",null,true],"b":{}}')).toEqual({ a: [1, -2, 0, '3.0', null, true], b: {} });
});

it('returns undefined for invalid JSON', () => {
  expect(parseJson('')).toBeUndefined();
  expect(parseJson('{"a":')).toBeUndefined();
  expect(parseJson('<html>')).toBeUndefined();
});
