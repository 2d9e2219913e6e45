/** Exports the comparisons of numbers that a spreadsheet, a program or a service may take for one. */

/** Returns the number without leading zeros, case, width and signs: a spreadsheet makes `7` or `7.0` of `007`. */
export function plainNumber(number: string): string {
  const folded = number
    .trim()
    .normalize('NFKC')
    .replace(/^(\d+)[.,]0+$/, '$1');
  return folded
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/^0+(?=.)/, '');
}

/** A spreadsheet that splits numbers at their signs makes `A-7` of `A-007`. */
const ZEROS = /(?<!\d)0+(?=\d)/g;

/** Returns the number without zeros in front of any of its digits, case, width and signs. */
export function numberWithoutZeros(number: string): string {
  return plainNumber(number.replace(ZEROS, ''));
}

const BETWEEN_DIGITS = /(?<=\d)[^\p{L}\p{N}]+(?=\d)/gu;

/** The same, with each sign between two digits: `1-11` and `11-1` may be counted. */
export function numberWithSigns(number: string): string {
  return number.trim().normalize('NFKC').split(BETWEEN_DIGITS).map(numberWithoutZeros).join('-');
}
