/** One row of CSV, safe to open: a spreadsheet takes a cell that begins like a formula for one, and runs it. */

/** What begins a formula, also in the wide forms that spreadsheets of East Asia take. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** The apostrophe is how spreadsheets mark text; who reads the file by a program takes it off again. */
export function csvRow(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => (cell === null || PLAIN.test(cell) ? cell : quoted(escaped(cell)))).join(',')}\r\n`;
}

/** Nothing to escape and nothing to quote, as most cells are: there are millions. */
const PLAIN = /^(?:[A-Za-z0-9_][A-Za-z0-9_.:-]*)?$/;

function escaped(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

function quoted(cell: string): string {
  return /[",;\r\n\t]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
