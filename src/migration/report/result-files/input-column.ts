/** Exports `withColumns`, which names the column of the input that has the value of an error, so that the export can be corrected. */
import { valueAt } from '../../../../schemas/objects.js';
import { UNREADABLE } from '../../../validation/warnings/value-forms.js';
import type { Cells } from '../../input/source.js';
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
 * Returns the errors with the column of a CSV file that has exactly this value, or this value without `UNREADABLE`. A value that the mapping has changed, or that several
 * columns have, has none.
 */
export function withColumns(errors: readonly LineError[], cells: Cells, record: unknown): readonly LineError[] {
  if (cells.length === 0) return errors;
  return errors.map((error) => {
    const value = scalarAt(error.attr, record);
    const column = value === undefined ? undefined : columnOf(value, cells);
    return column === undefined ? error : { ...error, column };
  });
}

/** Returns the text of the text, number or boolean that an error is about; undefined for another value. */
export function scalarAt(attr: string, record: unknown): string | undefined {
  const value = valueAt(record, fullPathOf(attr, record));
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** Returns the path of an error from the whole record on: the first one whose parent exists. */
export function fullPathOf(attr: string, record: unknown): string[] {
  const paths = PARTS.map((part) => `${part}${attr}`.split('.'));
  const hasValue = paths.find((path) => valueAt(record, path) !== undefined);
  return (
    hasValue ??
    paths.find((path) => valueAt(record, path.slice(0, -1)) instanceof Object && path.length > 1) ??
    paths[0] ??
    []
  );
}

function columnOf(value: string, cells: Cells): string | undefined {
  const wanted = value.replace(UNREADABLE, '').trim();
  if (wanted === '') return undefined;
  const [found, other] = new Set(cells.filter(([, text]) => text.trim() === wanted).map(([column]) => column));
  return other === undefined && found !== '' ? found : undefined;
}
