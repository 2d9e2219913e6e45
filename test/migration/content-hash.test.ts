import { expect, test } from 'vitest';
import { canonicalJson, contentHashOf } from '../../src/migration/content-hash.js';

const hashOf = (text: string) => contentHashOf(JSON.parse(text));

test('canonical JSON has the keys of every object in order, the items of lists as they are, and no spacing', () => {
  const value = JSON.parse('{ "b": 1.50, "a": { "d": [ { "z": 1, "y": "\\u00e9" }, null ], "c": true } }');
  expect(canonicalJson(value)).toBe('{"a":{"c":true,"d":[{"y":"é","z":1},null]},"b":1.5}');
});

test('the content hash is the first 32 digits of the SHA-256 of that', () => {
  // printf '{"a":1,"b":2}' | sha256sum
  expect(hashOf('{"b": 2, "a": 1}')).toBe('43258cff783fe7036d8a43033f830adf');
});

test.each([
  ['a value', '{"a":1}', '{"a":2}'],
  ['the type of a value', '{"a":1}', '{"a":"1"}'],
  ['the order of a list', '{"a":[1,2]}', '{"a":[2,1]}'],
  ['null and nothing', '{"a":null}', '{}'],
  ['the depth of a field', '{"a":{"b":1}}', '{"a":1,"b":1}'],
  ['a field by the name __proto__', '{"a":1,"__proto__":{"b":1}}', '{"a":1,"__proto__":{"b":2}}'],
])('two records differ by %s', (_, one, other) => {
  expect(hashOf(one)).not.toBe(hashOf(other));
});
