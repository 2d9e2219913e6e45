/** Exports `csvRow`: a CSV row that is safe to open in a spreadsheet, which runs a cell that begins like a formula. */

/** First characters of a formula, also in the full-width forms that East Asian spreadsheets accept. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Returns the row. A formula gets an apostrophe, which marks text in spreadsheets; a program that reads the file has to remove it. */
export function csvRow(cells: readonly (string | Decimal | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** A number that this program has computed. It is no formula, even if it is negative. */
interface Decimal {
  decimal: string;
}

function cellOf(cell: string | Decimal | null): string | null {
  if (cell === null) return null;
  if (typeof cell !== 'string') return cell.decimal;
  return PLAIN.test(cell) ? cell : quoted(escaped(cell));
}

/** Cells that need neither escaping nor quotes, as most of them. */
const PLAIN = /^(?:[A-Za-z0-9_][A-Za-z0-9_.:-]*)?$/;

function escaped(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

function quoted(cell: string): string {
  return /[",;\r\n\t]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
