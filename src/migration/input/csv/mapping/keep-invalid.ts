/** Exports `keepInvalid`, for mappings whose invalid values are reported by the check of the record. */
import { UNREADABLE } from '../../../../validation/warnings/value-forms.js';
import { MappingError } from './mapping-error.js';

/**
 * Returns a function that parses as `parse` does, but returns a text that cannot be parsed with the mark `⁇` before it. In any field, also
 * as a part of a text, the mark is an error: the check names it by account and field, together with all other errors of the record. Without
 * `keepInvalid` the row has no record: it is rejected with the first error. A `MappingError` about the call itself (an invalid form or
 * region) is still thrown.
 *
 * As a field, the result has the type of the field, so that a number can be kept in `amount`. Elsewhere it is also a text.
 *
 * @example
 * const date = keepInvalid(parseDate);
 * date('31/12/2024', 'DD/MM/YYYY'); // '2024-12-31'
 * date('31/02/2024', 'DD/MM/YYYY'); // '⁇31/02/2024'
 */
export function keepInvalid<Rest extends unknown[], Parsed>(
  parse: (text: string | undefined, ...rest: Rest) => Parsed,
): <Field = Parsed | string>(
  text: string | undefined,
  ...rest: Rest
) => [Parsed] extends [Field] ? Field : Parsed | string {
  return ((text: string | undefined, ...rest: Rest) => {
    try {
      return parse(text, ...rest);
    } catch (error) {
      if (error instanceof MappingError && error.value !== undefined) return UNREADABLE + error.value;
      throw error;
    }
  }) as never;
}
