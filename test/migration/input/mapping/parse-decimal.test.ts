/** parseDecimal: 200 spellings of numbers in real exports, and the calls that are wrong. */
import { describe, expect, test } from 'vitest';
import { MappingError } from '../../../../src/migration/input/csv/mapping/mapping-error.js';
import {
  type DecimalMark,
  parseDecimal,
  parseDecimalText,
} from '../../../../src/migration/input/csv/mapping/parse-decimal.js';
import { spellingsOf } from './spellings.js';

const ERROR = 'error';
type Spelling = readonly [text: string, mark: string, expected: number | string];

function parsed(text: string, mark: DecimalMark): number | string | undefined {
  try {
    return parseDecimal(text, mark);
  } catch (error) {
    if (error instanceof MappingError && error.value === text) return ERROR;
    throw error;
  }
}

const SPELLINGS: Readonly<Record<string, readonly Spelling[]>> = {
  'plain numbers with a comma': spellingsOf(`
    , → 0 = 0 | 7 = 7 | 12 = 12 | 12,5 | 12,50 | 12,500 = 12.5 | 1234,56 = 1234.56 | 1234567,89 = 1234567.89
    , → 0,05 = 0.05 | 0,1523 = 0.1523 | 0,00 = 0 | ,5 | ,50 = 0.5 | 00012,50 = 12.5 | 007 = 7 | 000 = 0
    , → 0000000012,50 = 12.5 | 12345678901234 = 12345678901234 | 5, | 5,,0 | , | 12,50,00 | 12.50 | 1.5 = error
  `),
  'plain numbers with a point': spellingsOf(`
    . → 0 = 0 | 12 = 12 | 12.5 | 12.50 = 12.5 | 1234.56 = 1234.56 | 0.05 = 0.05 | .5 = 0.5 | 0.10 = 0.1 | 0.30 = 0.3
    . → 1.005 = 1.005 | 9007199254740991 = error | 999999999999999 = 999999999999999 | 5. | . | 1.2.3 | 12,50 = error
    . → 1,5 | 0,5 = error
  `),
  'groups with points': spellingsOf(`
    , → 1.234,56 = 1234.56 | 1.234 = 1234 | 12.345 = 12345 | 123.456 = 123456 | 1.234.567 = 1234567
    , → 1.234.567,89 = 1234567.89 | 12.345.678,9 = 12345678.9 | 999.999.999,99 = 999999999.99 | 1.23 | 1.2345 = error
    , → 12.34,56 | 1234.567,00 | 1.234567 | 1.234.56 | 1.23.456 | .234 | 1..234 | 1.234. | 0.123 | 0.123,45 = error
    , → 01.234 | 000.123 | 1,234.567 = error
  `),
  'groups with commas': spellingsOf(`
    . → 1,234.56 = 1234.56 | 1,234 = 1234 | 12,345 = 12345 | 1,234,567.89 = 1234567.89 | 999,999.00 = 999999
    . → 1,23 | 1,2345 | 12,34.56 | 1,00,000.00 | 1,234.567,89 | 1.234,56 | 0,500 | ,234 = error
  `),
  'groups with spaces': spellingsOf(`
    , → 1 234,56 = 1234.56 | 12 345,00 = 12345 | 123 456 = 123456 | 1 234 567,89 = 1234567.89 | 1\u00a0234,56 = 1234.56
    , → 1\u00a0234\u00a0567 = 1234567 | 1\u202f234,56 = 1234.56 | 1\u202f234\u202f567,8 = 1234567.8
    , → 1\u2009234,56 = 1234.56
    . → 1 234.56 | 1\u00a0234.56 = 1234.56
    , → 1  234,56 | 12 34,56 | 1 23 | 1 2345 | 1234 567 | 0 123 | 1 234\u00a0567 | 1 234.567,89 | 1\t234 = error
    , → 1 234, 56 | 1 234 ,56 | 12 50 | 1,234 56 | 1,234 567 = error
  `),
  'groups with apostrophes': [
    ["1'234.56", '.', 1234.56],
    ["1'234'567.89", '.', 1234567.89],
    ["12'345", '.', 12345],
    ['1\u2019234.56', '.', 1234.56],
    ['1\u2019234\u2019567', '.', 1234567],
    ["1'234,56", ',', 1234.56],
    ["1'23", '.', ERROR],
    ["'1234", '.', ERROR],
    ["1234'", '.', ERROR],
    ['1`234', '.', ERROR],
    ['1"234', '.', ERROR],
  ],
  'negative numbers': spellingsOf(`
    , → -12,50 = -12.5 | -0,01 = -0.01 | -1.234,56 | -1 234,56 = -1234.56 | - 12,50 | \u221212,50 | \u201312,50 = -12.5
    , → 12,50- | 12,50 - = -12.5 | 1.234,56- = -1234.56 | 12,50\u2212 | (12,50) | ( 12,50 ) = -12.5
    , → (1 234,56) = -1234.56 | (0,00) | -0 | -0,00 = 0 | +12,50 | + 12,50 = 12.5 | -,5 = -0.5
    . → (12.50) = -12.5
    , → --12,50 | -12,50- | (-12,50) | -(12,50) | +-12,50 | 12,50+ | (12,50 | 12,50) | () | - | + | 12,- | 12,-- = error
    , → 1-2 | 10-20 | 12,50 CR | 12,50 D = error
  `),
  currencies: spellingsOf(`
    , → 12,50 € | 12,50€ | 12,50\u00a0€ = 12.5 | 1\u202f234,56\u00a0€ = 1234.56
    . → €12.50 | € 12.50 = 12.5 | £1,234.56 = 1234.56 | $12.50 = 12.5 | ¥1,234 = 1234
    , → ₣ 12,50 | 12,50 EUR | EUR 12,50 | EUR12,50 = 12.5
    . → CHF 1'234.50 = 1234.5
    , → 12,50 PLN = 12.5 | -12,50 € | - 12,50 € | 12,50- € | 12,50 €- = -12.5
    . → -€12.50 | €-12.50 | € -12.50 = -12.5
    , → (12,50 €) = -12.5
    . → (€12.50) | €(12.50) = -12.5
    , → -EUR 12,50 = -12.5 | € | EUR | €€12 | €12€ | € 12 EUR | 12€50 | 12 euros | eur 12 | 12 EURO | 12,50 ZZZ = error
    , → REF 12 = error
  `),
  'blanks around the number': [
    [' 12,50', ',', 12.5],
    ['12,50 ', ',', 12.5],
    ['\t12,50\r', ',', 12.5],
    ['\u00a012,50\u00a0', ',', 12.5],
    ['   1 234,56   ', ',', 1234.56],
    ['\ufeff12,50', ',', 12.5],
  ],
  'more digits than a number has': spellingsOf(`
    , → 0,12345678901234 = 0.12345678901234 | 0,000000000000001 = 0.000000000000001
    , → 123456789012,345 = 123456789012.345 | 12,5000000000000000000 | 000000000000000000012,5 = 12.5
    , → 1234567890123,456 | 0,1234567890123456 | 12345678901234567,89 | 9.007.199.254.740.993 = error
    , → 100000000000000000000 = error
  `),
  'what is no number': spellingsOf(`
    , → N/A | NULL | NaN | Infinity | néant | voir dossier | ? | 12,5O | l2,50 | 1e3 | 1,5E+03 | 0x10 | 1_000 = error
    , → 20 % | 20% | 1/2 | ½ | 12² | =12,50 | #REF! | ######## | 12:50 | 12;50 | 12* | ~12 | \uff11\uff12 = error
    , → \u0661\u0662 | 12,50 14,00 | 31/12/2024 = error
  `),
};

describe.each(Object.entries(SPELLINGS))('%s', (_, spellings) => {
  test.each(spellings)('%j with the mark %j: %s', (text, mark, expected) => {
    expect(parsed(text, mark as DecimalMark)).toBe(expected === ERROR ? ERROR : Number(expected));
  });
});

test('there are 200 spellings', () => {
  expect(Object.values(SPELLINGS).flat().length).toBeGreaterThanOrEqual(200);
});

test.each([undefined, '', ' ', '\t', '\u00a0', '\r\n'])('no text, %j, is no number', (text) => {
  expect(parseDecimal(text, ',')).toBeUndefined();
  expect(parseDecimalText(text, '.')).toBeUndefined();
});

test.each<[string, DecimalMark, string]>([
  ['0,1520', ',', '0.1520'],
  ['0,1523', ',', '0.1523'],
  [',5', ',', '0.5'],
  ['007,50', ',', '7.50'],
  ['1.234,50', ',', '1234.50'],
  ["1'234.50", '.', '1234.50'],
  ['(12,50 €)', ',', '-12.50'],
  ['-0,00', ',', '0.00'],
  ['12345678901234567,89', ',', '12345678901234567.89'],
  ['0,00000000000000000001', ',', '0.00000000000000000001'],
])('as a text, %j with the mark %j is %s, with all its decimals', (text, mark, expected) => {
  expect(parseDecimalText(text, mark)).toBe(expected);
});

test.each([
  ['0.1', '0.1'],
  ['1.005', '1.005'],
  ['123456789012.345', '123456789012.345'],
  ['99999999999.9999', '99999999999.9999'],
  ['0.123456789012345', '0.123456789012345'],
])('JSON has %s as %s', (text, json) => {
  expect(JSON.stringify(parseDecimal(text, '.'))).toBe(json);
});

describe('the message has no text of the row', () => {
  test.each<[DecimalMark, string]>([
    [',', 'parseDecimal: expected a number such as -1234,56 or 1.234,56, with groups of three digits.'],
    ['.', 'parseDecimal: expected a number such as -1234.56 or 1,234.56, with groups of three digits.'],
  ])('with the mark %j', (mark, message) => {
    expect(() => parseDecimal('twelve', mark)).toThrow(new MappingError(message));
    expect(() => parseDecimalText('twelve', mark)).toThrow(message.replace('parseDecimal', 'parseDecimalText'));
  });

  test('for too many digits', () => {
    expect(() => parseDecimal('1234567890123456', ',')).toThrow(
      new MappingError(
        'parseDecimal: the number has more than 15 digits and would be rounded. A field that takes a text can have it: parseDecimalText.',
      ),
    );
  });

  test.each([';', '', undefined])('a decimal mark %j is refused, also without a text', (mark) => {
    expect(() => parseDecimal('', mark as DecimalMark)).toThrow('expected "," or "."');
  });
});
