/**
 * Exports `csvRow` and `withoutApostrophes`: a CSV row that is safe to open in a spreadsheet, which runs a cell that begins like a formula. Semicolons and decimal
 * commas are what a spreadsheet set to French or German reads without asking (docs/decisions/0050-rejected-csv.md).
 */

/** Without it Excel reads the file in the code page of the system. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Returns the first row of a file. */
export function csvHeader(names: readonly string[]): string {
  return BYTE_ORDER_MARK + csvRow(names);
}

/** Returns the row. A formula gets an apostrophe, which marks text in spreadsheets; a program that reads the file has to remove it. */
export function csvRow(cells: readonly (string | Decimal | null)[]): string {
  return `${cells.map(cellOf).join(';')}\r\n`;
}

/** A number that this program has computed. It is no formula, even if it is negative. */
interface Decimal {
  decimal: string;
}

function cellOf(cell: string | Decimal | null): string | null {
  if (cell === null) return null;
  if (typeof cell !== 'string') return withComma(cell.decimal);
  return PLAIN.test(cell) ? cell : `"${escaped(cell).replaceAll('"', '""')}"`;
}

/** Cells that need neither escaping nor quotes, as most of them. */
const PLAIN = /^(?:[A-Za-z0-9_][A-Za-z0-9_.:-]*)?$/;

/** Three decimals get a fourth: after a comma they could also be thousands. */
function withComma(decimal: string): string {
  return decimal.replace(/\.\d{3}$/, '$&0').replace('.', ',');
}

/** The parts into which a spreadsheet with another separator splits a cell: there, quotes after the beginning of a field are text. */
const PIECE = /[^,;|\t\r\n\v\f\u0085\u2028\u2029]+/g;

/**
 * The signs that begin a formula, and characters that a spreadsheet takes for them, after anything that it may drop: control and format
 * characters, spaces, marks and quotes.
 */
const FORMULA =
  /^["\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}]*[=+\-@\u207A\u207B\u207C\u208A-\u208C\u2212\u2A75\u2A76\uFB29\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20]/u;

/** Returns the text of a cell in which this or another program has put an apostrophe before a formula. */
export function withoutApostrophes(cell: string): string {
  return cell.replace(PIECE, (piece) =>
    piece.startsWith("'") && FORMULA.test(piece.slice(1)) ? piece.slice(1) : piece,
  );
}

function escaped(cell: string): string {
  return cell.replace(PIECE, (piece) => (FORMULA.test(piece) ? `'${piece}` : piece));
}
