/** Sums of amounts, exact to the last digit. */
import { describe, expect, test } from 'vitest';
import { amountInWords, DecimalSum, decimalText, isSameDecimal } from '../../../src/migration/shared/decimal.js';

function sumOf(...values: unknown[]): string {
  const sum = new DecimalSum();
  for (const value of values) sum.add(value);
  return sum.text();
}

describe('sums of decimals', () => {
  test.each([
    ['no amount', [], '0'],
    ['a tenth and two tenths are three tenths', [0.1, 0.2], '0.3'],
    ['ten tenths are one', Array.from({ length: 10 }, () => 0.1), '1'],
    ['cents', [12.5, 30, 0.01], '42.51'],
    ['a sum of zero', [12.5, -12.5], '0'],
    ['a negative sum', [1, -1.05], '-0.05'],
    ['three decimals', [0.005, 1.1], '1.105'],
    ['decimals that cancel', [0.005, 0.995], '1'],
    ['text, as answers have it', ['12.50', '-0.10', '1e2'], '112.4'],
    ['a number with an exponent', [1e-7, 1e21], '1000000000000000000000.0000001'],
    ['the digits that JavaScript prints, not the binary value', [1.005], '1.005'],
    ['a number that is not a decimal of two places', [0.1 + 0.2], '0.30000000000000004'],
    ['sums beyond the safe integers', [9_007_199_254_740_991, 0.01, 9_007_199_254_740_991], '18014398509481982.01'],
    ['many large amounts', Array.from({ length: 300 }, () => 9_999_999_999_999.99), '2999999999999997'],
    ['the greatest number', [1e308, 1e308], `2${'0'.repeat(308)}`],
    ['-0', [-0], '0'],
  ])('%s', (_, values, sum) => {
    expect(sumOf(...values)).toBe(sum);
  });

  test.each([
    null,
    undefined,
    true,
    {},
    [],
    '',
    '.',
    '-',
    'EUR 5',
    '12,50',
    '0x10',
    ' 1',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '9'.repeat(500),
    '1e99999',
  ])('%j is no decimal and adds nothing', (value) => {
    const sum = new DecimalSum();
    expect(sum.add(value)).toBe(false);
    expect(sum.text()).toBe('0');
    expect(decimalText(value)).toBeUndefined();
  });

  test('a subtracted amount is taken off', () => {
    const sum = new DecimalSum();
    for (const value of [5, 0.005]) sum.add(value);
    for (const value of [0.01, '0.005']) sum.add(value, -1);
    expect(sum.text()).toBe('4.99');
  });

  test('a hundred thousand random amounts have the sum of their whole cents', { tags: 'long' }, () => {
    // A linear congruential generator: the same amounts in every test run.
    let state = 20_260_115;
    const next = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state % below;
    };
    const sum = new DecimalSum();
    let cents = 0n;
    for (let index = 0; index < 100_000; index++) {
      const own = (next(2) === 0 ? -1 : 1) * next(10 ** (1 + next(9)));
      cents += BigInt(own);
      const text = `${own < 0 ? '-' : ''}${Math.floor(Math.abs(own) / 100)}.${String(Math.abs(own) % 100).padStart(2, '0')}`;
      sum.add(index % 2 === 0 ? own / 100 : text);
      // The two ways of adding must agree, so every third amount goes the way of three decimals.
      if (index % 3 === 0) {
        sum.add(`${text}1`);
        sum.add('0.001', own < 0 ? 1 : -1);
        cents += BigInt(own);
      }
    }
    const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
    expect(Number(`${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`)).toBe(Number(sum.text()));
    expect(decimalText(`${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`)).toBe(sum.text());
  });
});

describe('one decimal', () => {
  test.each([
    [12.5, '12.50', true],
    [12.5, '12.51', false],
    [12.5, 12.5, true],
    [0.1, '0.1000', true],
    [0.3, 0.1 + 0.2, false],
    [1000, '1e3', true],
    [-0, '0', true],
    [5, '5.001', false],
    [0.1, '0.1000000000000000055', false],
  ])('%s and %s: the same is %s', (one, other, isSame) => {
    expect(isSameDecimal(one, other)).toBe(isSame);
    expect(isSameDecimal(other, one)).toBe(isSame);
  });

  test.each([
    ['0', '0.00'],
    ['12345.6', '12,345.60'],
    ['-1234567', '-1,234,567.00'],
    ['999.005', '999.005'],
  ])('%s is shown as %s', (text, shown) => {
    expect(amountInWords(text)).toBe(shown);
  });
});
