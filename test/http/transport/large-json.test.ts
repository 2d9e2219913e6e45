import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExcessiveJsonError, parseLarge } from '../../../src/http/transport/large-json.js';
import { seed } from '../../helpers/seed.js';

/** Longer than what is parsed at once. */
const LONG = ' '.repeat(70_000);

describe('a JSON text is parsed as JSON.parse does', () => {
  /** Lists and objects, some of them long: by blanks, by texts, by many entries. */
  const long = fc.constantFrom(
    'x'.repeat(70_000),
    '"\\,[{'.repeat(20_000),
    Array(40_000).fill(1),
    Array(9_000).fill({ a: [1] }),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, fc.jsonValue({ maxDepth: 1 }), long, tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', '', '"')), tie('value'), { maxKeys: 4 }),
  })).value;
  const blanks = fc.constantFrom('', ' ', '\n\t', LONG);

  it('whatever it holds', { tags: 'long' }, async () => {
    await fc.assert(
      fc.asyncProperty(json, blanks, fc.boolean(), async (value, blank, isIndented) => {
        const text = `${blank}${JSON.stringify(value, null, isIndented ? 1 : 0)}${blank}`;
        expect(JSON.stringify(await parseLarge(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { seed, numRuns: 60 },
    );
  });

  it('or not parsed, where JSON.parse does not, one character being another one', { tags: 'long' }, async () => {
    const text = `[${LONG}1,{"a":[${LONG}"b",2],"c":{${LONG}"d":3}},[],"e"${LONG}]`;
    const places = [...text].flatMap((sign, at) => (sign === ' ' ? [] : [at]));
    for (const at of places) {
      for (const other of ['', ',', ']', '}', '[', '{', ':', '"', ' ', '1']) {
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        const [one, two] = await Promise.all([outcome(() => JSON.parse(changed)), outcome(() => parseLarge(changed))]);
        expect(two, `${other} at ${at}`).toEqual(one);
      }
    }
  });
});

it.each([
  ['more values than an answer has', `[${'1,'.repeat(2_500_000)}1]`],
  ['a text of more than 16 MiB', `{"detail":"${'x'.repeat(17 * 2 ** 20)}"}`],
  ['lists in lists', '['.repeat(200_000) + ']'.repeat(200_000)],
])('%s are not parsed', async (_, text) => {
  await expect(parseLarge(text)).rejects.toThrow(ExcessiveJsonError);
});

it('a text of 15 MiB is parsed: an answer may repeat the payload', { tags: 'long' }, async () => {
  const body = 'x'.repeat(15 * 2 ** 20);
  expect(await parseLarge(`{"notes":[{"body":"${body}"}]}`)).toEqual({ notes: [{ body }] });
});

async function outcome(parse: () => unknown): Promise<unknown> {
  try {
    return { value: await parse() };
  } catch (error) {
    return (error as Error).name;
  }
}
