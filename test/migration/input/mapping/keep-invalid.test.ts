/** keepInvalid: a text that cannot be parsed gets a mark, and any other error is thrown. */
import { expect, test } from 'vitest';
import { keepInvalid } from '../../../../src/migration/input/csv/mapping/keep-invalid.js';
import { MappingError } from '../../../../src/migration/input/csv/mapping/mapping-error.js';
import { parseDate } from '../../../../src/migration/input/csv/mapping/parse-date.js';
import { parseDecimal } from '../../../../src/migration/input/csv/mapping/parse-decimal.js';

const date = keepInvalid(parseDate);

test.each([
  ['31/12/2024', '2024-12-31'],
  ['31/02/2024', '⁇31/02/2024'],
  [' see file ', '⁇ see file '],
  ['', undefined],
  [undefined, undefined],
])('%j becomes %j', (text, expected) => {
  expect(date(text, 'DD/MM/YYYY')).toBe(expected);
});

test('passes all arguments', () => {
  expect(date('31/12/24', 'DD/MM/YY', { latestYear: 2026 })).toBe('2024-12-31');
  expect(keepInvalid(parseDecimal)('1,5', ',')).toBe(1.5);
  expect(keepInvalid(parseDecimal)('1.5', ',')).toBe('⁇1.5');
});

test('an invalid form is thrown: it is wrong for every text', () => {
  expect(() => date('31/12/2024', 'dd/mm/yyyy')).toThrow(MappingError);
});

test('other errors are thrown', () => {
  const parse = keepInvalid((): string => {
    throw new RangeError('not a mapping error');
  });
  expect(() => parse('x')).toThrow(RangeError);
});
