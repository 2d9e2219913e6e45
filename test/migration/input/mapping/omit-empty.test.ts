/** omitEmpty: which fields of a record are removed. */
import { expect, test } from 'vitest';
import { omitEmpty } from '../../../../src/migration/input/csv/mapping/omit-empty.js';

test.each([
  ['undefined', { a: 1, b: undefined }, { a: 1 }],
  ['null', { a: 1, b: null }, { a: 1 }],
  ['the empty text', { a: 1, b: '' }, { a: 1 }],
  ['an empty object', { a: 1, b: {} }, { a: 1 }],
  ['an empty list', { a: 1, b: [] }, { a: 1 }],
  ['an object whose fields are all empty', { a: 1, b: { c: '', d: { e: null } } }, { a: 1 }],
  ['a list whose entries are all empty', { a: 1, b: ['', null, {}, [undefined]] }, { a: 1 }],
  ['empty entries of a list', { a: ['', 'x', null, { b: '' }, 0] }, { a: ['x', 0] }],
  ['fields at every depth', { a: { b: [{ c: '', d: { e: 1, f: null } }] } }, { a: { b: [{ d: { e: 1 } }] } }],
])('removes %s', (_, object, expected) => {
  expect(omitEmpty(object)).toEqual(expected);
  expect(Object.keys(omitEmpty(object))).toEqual(Object.keys(expected));
});

test.each([
  ['false', false],
  ['zero', 0],
  ['NaN, which the check reports', Number.NaN],
  ['a text of spaces', ' '],
  ['a Date', new Date(0)],
])('keeps %s', (_, value) => {
  expect(omitEmpty({ a: value })).toEqual({ a: value });
});

test('keeps the outermost object and list', () => {
  expect(omitEmpty({ a: '' })).toEqual({});
  expect(omitEmpty([{ a: '' }])).toEqual([]);
});

test('does not change its argument', () => {
  const object = { a: { b: '' }, c: ['', 1] };
  omitEmpty(object);
  expect(object).toEqual({ a: { b: '' }, c: ['', 1] });
});

test('a field called __proto__ is a field', () => {
  const object = JSON.parse('{"__proto__":{"a":1},"b":""}');
  expect(Object.entries(omitEmpty(object))).toEqual([['__proto__', { a: 1 }]]);
});
