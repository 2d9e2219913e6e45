/** JSON is read as it is written, or refused with the place at which `JSON.parse` would change it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChangedJsonError, parseJson } from '../../src/validation/parse-json.js';
import { seed } from '../helpers/seed.js';

const refusalOf = (text: string): unknown => {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return error instanceof ChangedJsonError ? `${error.code} ${error.attr}` : 'not JSON';
  }
};

test.each([
  ['{"a":1,"a":1}', 'duplicate_key a'],
  ['{"\\u0061b":1,"ab":2}', 'duplicate_key ab'],
  ['{"\\u0061":1,"a":2}', 'duplicate_key a'],
  ['{"b":[{"c":{}},{"c":{"d":1,"e":"}","d":2}}]}', 'duplicate_key b.1.c.d'],
  ['{"a\\\\":1,"a\\\\":2}', 'duplicate_key a\\'],
  ['{"__proto__":1,"__proto__":2}', 'duplicate_key __proto__'],
  ['{"":1,"":2}', 'duplicate_key '],
  ['{"a":[{"b":1,"\\u00e9":2}]}', 'escaped_name a.0.é'],
  ['{"\\n":1}', 'escaped_name \n'],
  ['[1,[2,{"a":12345678901234567890}]]', 'inexact_number 1.1.a'],
  ['{"a":1', 'not JSON'],
  ['', 'not JSON'],
])('%s is refused', (text, refusal) => {
  expect(refusalOf(text)).toBe(refusal);
});

test.each([
  ['{"a":{"a":{"a":1}}}', { a: { a: { a: 1 } } }],
  ['{"a":"\\"a\\":1","b":"a\\\\"}', { a: '"a":1', b: 'a\\' }],
  ['\ufeff\ufeff{"a":1}', { a: 1 }],
  ['{"a":"\ufeff"}', { a: '\ufeff' }],
  ['"a:b"', 'a:b'],
  ['{"a":"\\u00e9","b":["\\n"]}', { a: 'é', b: ['\n'] }],
  ['{"\\\\":1}', { '\\': 1 }],
  ['{"a\\u00e9":1}', { aé: 1 }],
])('%s is read', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

test('nesting deeper than the call stack is read', () => {
  expect(() => parseJson(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).not.toThrow();
});

/** Writes a value as JSON in other ways than `JSON.stringify`: with spaces, and characters as escapes. */
function written(value: unknown, style: () => number): string {
  const space = () => [' ', '', '\t', '\n '][style() % 4] ?? '';
  const text = (string: string) =>
    `"${[...string].map((one) => (style() % 3 === 0 ? [...one].map((_, at) => escaped(one, at)).join('') : JSON.stringify(one).slice(1, -1))).join('')}"`;
  const escaped = (one: string, at: number) =>
    Array.from(
      { length: one.length - at },
      (_, unit) => `\\u${one.charCodeAt(unit).toString(16).padStart(4, '0')}`,
    ).join('');
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value))
    return `[${space()}${value.map((item) => written(item, style)).join(`${space()},${space()}`)}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(
      // A name of one escaped character is refused.
      ([name, field]) =>
        `${name.length === 1 ? JSON.stringify(name) : text(name)}${space()}:${space()}${written(field, style)}`,
    );
    return `{${space()}${fields.join(`${space()},${space()}`)}${space()}}`;
  }
  return JSON.stringify(value);
}

describe('for any value, written in any way', () => {
  const any = fc.jsonValue({ maxDepth: 4 });
  const isReadable = (text: string) => !text.includes('"\\""');
  const styles = fc.infiniteStream(fc.nat({ max: 100 }));

  test('reading what was written gives the same', { tags: 'long' }, () => {
    fc.assert(
      fc.property(any, styles, (value, style) => {
        const text = written(value, () => style.next().value);
        fc.pre(isReadable(text));
        expect(parseJson(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed, numRuns: 1000 },
    );
  });

  test('a name that is written a second time is found', { tags: 'long' }, () => {
    fc.assert(
      fc.property(any, any, fc.string(), styles, (first, second, name, style) => {
        const next = () => style.next().value;
        const field = (value: unknown) =>
          written({ [name]: value }, next)
            .trim()
            .slice(1, -1);
        const text = `[${written(first, next)},{${JSON.stringify(`other${name}`)}:1,${field(first)},${field(second)}}]`;
        fc.pre(isReadable(text));
        expect(refusalOf(text)).toBe(`duplicate_key 1.${name}`);
      }),
      { seed, numRuns: 1000 },
    );
  });
});
