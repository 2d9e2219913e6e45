/**
 * Entry point `data-import-sdk/mapping`: functions for mapping modules and for modules that are an input. They convert the texts of a
 * legacy export to the values of a record.
 */
export type { CsvRow, OptionalColumns } from '../csv-row.js';
export { keepInvalid } from './keep-invalid.js';
export { MappingError } from './mapping-error.js';
export { omitEmpty } from './omit-empty.js';
export { type ParseDateOptions, parseDate } from './parse-date.js';
export { type DecimalMark, parseDecimal, parseDecimalText } from './parse-decimal.js';
export { parsePhone } from './parse-phone.js';
export { groupRows, type ReadCsvOptions, readCsv } from './read-csv.js';
