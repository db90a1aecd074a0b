import { expect, it } from 'vitest';
import { parseJson } from '../../../../shared/viva/json.ts';

it('keeps every digit of a number that JavaScript cannot hold', () => {
  expect(parseJson('{"orderCode":9948100551072601,"large":99481005510726017}')).toEqual({
    orderCode: '9948100551072601',
    large: '99481005510726017',
  });
});

it('keeps the text of a decimal, also of a whole one', () => {
  expect(parseJson('[30.00, 1.1, 1e2, -0.5]')).toEqual(['30.00', '1.1', '1e2', '-0.5']);
});

it('leaves ordinary numbers, texts and structures as they are', () => {
  expect(parseJson('{"a":[1,-2,0,"3.0",null,true],"b":{}}')).toEqual({ a: [1, -2, 0, '3.0', null, true], b: {} });
});

it('has no value for what is not JSON', () => {
  expect(parseJson('')).toBeUndefined();
  expect(parseJson('{"a":')).toBeUndefined();
  expect(parseJson('<html>')).toBeUndefined();
});
