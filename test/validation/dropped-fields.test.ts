/** Fields of a request that the echo lacks, or has empty (issue 3, Echo check; issue 34, D.4). */
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
    ['a value that comes back as null', { a: 'x', b: 1 }, { a: null, b: 1 }, ['a']],
    ['false and 0 that come back as null', { a: false, b: 0, c: 1 }, { a: null, b: null, c: 1 }, ['a', 'b']],
    ['a value that comes back as an empty text', { a: 'x', b: 1 }, { a: '', b: 1 }, ['a']],
    ['an object that comes back as {}, as one path', { a: { b: 1, c: 2 }, d: 1 }, { a: {}, d: 1 }, ['a']],
    ['a list that comes back as [], as one path', { a: [{ b: 1 }, 2], c: 1 }, { a: [], c: 1 }, ['a']],
    ['a list that comes back as {}, and an object as []', { a: [1], b: { c: 1 } }, { a: {}, b: [] }, ['a', 'b']],
    ['a text or a list that comes back as {}', { a: 'x', b: [1] }, { a: {}, b: {} }, ['a', 'b']],
    [
      'an item of a list that comes back as null or {}',
      { a: ['x', { b: 1 }, 'z'] },
      { a: [null, {}, 'z'] },
      ['a.0', 'a.1'],
    ],
    ['an empty value deep inside', { a: [{ b: { c: ['x'] } }] }, { a: [{ b: { c: [] } }] }, ['a.0.b.c']],
    ['a field that is the name of a method', { a: 1, toString: 'x' }, { a: 1 }, ['toString']],
  ])('%s', (_, sent, echo, dropped) => {
    expect(droppedPaths(sent, echo)).toEqual(dropped);
  });
});

describe('not dropped is', () => {
  it.each<[string, unknown, unknown]>([
    [
      'an empty value that comes back as another empty value',
      { a: '', b: [], c: {}, d: null, e: '' },
      { a: null, b: null, c: [], d: '', e: {} },
    ],
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
