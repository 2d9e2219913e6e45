/** Amounts as answers carry them: `12.5` is "12.50" (document: Transaction). */

/**
 * The number as a decimal in a string: at least two decimals, all that it has, never an exponent. Works on the digits
 * that JavaScript prints, so nothing is rounded.
 */
export function toDecimal(amount: number): string {
  const [digits = '', exponent = '0'] = String(Math.abs(amount)).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const shift = Number(exponent);
  const shifted = shift < 0 ? `${'0'.repeat(-shift)}${whole}${fraction}` : `${whole}${fraction.padEnd(shift, '0')}`;
  const point = shift < 0 ? whole.length : whole.length + shift;
  const sign = amount < 0 ? '-' : '';
  return `${sign}${shifted.slice(0, point)}.${shifted.slice(point).padEnd(2, '0')}`;
}
