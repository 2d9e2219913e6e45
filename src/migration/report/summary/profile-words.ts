/** Exports the texts of a profile, for `profile` and the report page. */
import { lastName } from '../../../validation/known-names.js';
import type { FieldProfile } from '../../../validation/records/field-profile.js';
import { amountInWords } from '../../shared/decimal.js';
import { counted, number } from '../../shared/format.js';
import type { AmountProfile } from './input-profile.js';

/** Returns how often a field is filled: a share such as `98.2%`, or for a value under an unknown name its number. */
export function shareInWords({ path, filled, of }: FieldProfile): string {
  if (lastName(path) === '*') return number(filled);
  if (filled === 0) return '0.0%';
  const share = Math.round((1000 * filled) / of) / 10;
  // Only a field that is always filled has 100 %, and only one that never is has 0 %.
  return `${(filled === of ? share : Math.min(Math.max(share, 0.1), 99.9)).toFixed(1)}%`;
}

/** `space`: between a value and its count. */
export function detailsInWords(field: FieldProfile, space = ' '): string {
  const { values = {}, otherValues = 0, dates, noDates = 0, lengths } = field;
  const codes = Object.entries(values).map(([value, count]) => `${value}${space}${number(count)}`);
  return [
    ...(codes.length > 0 ? [codes.join(', ')] : []),
    ...(otherValues > 0 ? [counted(otherValues, 'other value')] : []),
    ...(dates === undefined ? [] : [rangeOf(dates.first, dates.last)]),
    ...(noDates > 0 ? [`${counted(noDates, 'value')} without a date`] : []),
    ...(lengths === undefined
      ? []
      : [`${rangeOf(number(lengths.least), number(lengths.most))} ${lengths.most === 1 ? 'character' : 'characters'}`]),
  ].join('; ');
}

/** Returns the sums by sign, with the number of amounts in brackets: `0.30 (2), -5.00 (1)`. */
export function signedSumsInWords({ positive, negative, zero, without }: AmountProfile): string {
  return [
    ...(positive.count > 0 ? [`${amountInWords(positive.sum)} (${number(positive.count)})`] : []),
    ...(negative.count > 0 ? [`${amountInWords(negative.sum)} (${number(negative.count)})`] : []),
    ...(zero > 0 ? [`0.00 (${number(zero)})`] : []),
    ...(without > 0 ? [`without an amount (${number(without)})`] : []),
  ].join(', ');
}

function rangeOf(first: string, last: string): string {
  return first === last ? first : `${first} to ${last}`;
}
