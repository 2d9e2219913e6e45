/** Exports `withColumns`, which names the column of the input that has the value of an error, so that the export can be corrected. */
import { valueAt } from '../../../validation/objects.js';
import type { InputLine } from '../../input/source.js';
import type { Place } from '../summary/error-groups.js';

/** One error in these files. */
export interface LineError {
  step: Place;
  code: string;
  attr: string;
  didYouMean?: string;
  detail?: string;
  /** The column of a CSV file that has the value. */
  column?: string;
}

/** Paths in errors of the service begin inside of the payload. */
const PARTS = ['', 'account.', 'business.'];

/**
 * Returns the errors with the column of a CSV file that has exactly this value. A value that the mapping has changed, or that several
 * columns have, has none.
 */
export function withColumns(errors: readonly LineError[], item: InputLine, record: unknown): readonly LineError[] {
  if (item.columnOf === undefined) return errors;
  return errors.map((error) => {
    const column = PARTS.map((part) => columnAt(`${part}${error.attr}`, item, record)).find((one) => one !== undefined);
    return column === undefined ? error : { ...error, column };
  });
}

function columnAt(attr: string, item: InputLine, record: unknown): string | undefined {
  const value = valueAt(record, attr.split('.'));
  return typeof value === 'string' || typeof value === 'number' ? item.columnOf?.(String(value)) : undefined;
}
