/** Fields of a request that the echo lacks (issue 3, Echo check). */
import { describe, expect, it } from 'vitest';
import { droppedPaths } from '../../src/validation/dropped-fields.js';

describe('paths that the echo lacks', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['nothing', { a: 1, b: [{ c: 'x' }] }, { a: 1, b: [{ c: 'x' }] }, []],
    ['a field', { a: 1, b: 2 }, { a: 1 }, ['b']],
    ['a whole object, as one path', { a: 1, b: { c: 1, d: 2 } }, { a: 1 }, ['b']],
    ['a field of an object in a list', { a: [{ b: 1 }, { b: 1, c: 2 }] }, { a: [{ b: 1 }, { b: 1 }] }, ['a.1.c']],
    ['items of a list', { a: ['x', 'y', 'z'] }, { a: ['x'] }, ['a.1', 'a.2']],
    ['a field with null', { a: 1, b: null }, { a: 1 }, ['b']],
    ['a field that is the name of a method', { a: 1, toString: 'x' }, { a: 1 }, ['toString']],
  ])('%s', (_, sent, echo, dropped) => {
    expect(droppedPaths(sent, echo)).toEqual(dropped);
  });
});

describe('not dropped is', () => {
  it.each<[string, unknown, unknown]>([
    ['what comes back as null', { a: 'x' }, { a: null }],
    ['what comes back as another value', { a: '2024-01-01', b: 1.5 }, { a: '2024-01-01T00:00:00Z', b: '1.50' }],
    ['what comes back as another shape', { a: [{ b: 1 }], c: { d: 1 } }, { a: { '0': {} }, c: 'x' }],
    ['what was not sent', { a: 1, b: undefined }, { a: 1, more: 2 }],
  ])('%s', (_, sent, echo) => {
    expect(droppedPaths(sent, echo)).toEqual([]);
  });

  it.each([{}, undefined, null, '', 'ok', 7, []])('anything, where the answer is %j and so no echo', (echo) => {
    expect(droppedPaths({ a: 1, b: [2] }, echo)).toEqual([]);
  });
});
