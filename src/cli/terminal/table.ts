/** `tableText`: rows of cells as aligned lines, for a terminal of 80 columns. */
import { oneLine } from '../../migration/shared/printable.js';

/** Maximum width of a column that is not the last one. */
const WIDEST = 36;

/** Returns a line for each row. Numbers are aligned at the right. The last column is not cut. */
export function tableText(rows: readonly (readonly (string | number)[])[]): string[] {
  const texts = rows.map((row) =>
    row.map((cell) => oneLine(typeof cell === 'number' ? cell.toLocaleString('en-GB') : cell)),
  );
  const widths = texts.reduce<number[]>(
    (most, row) => row.map((cell, place) => Math.max(most[place] ?? 0, Math.min(WIDEST, cell.length))),
    [],
  );
  return texts.map((row, index) =>
    row
      .map((cell, place) => {
        if (place === row.length - 1) return cell;
        const width = widths[place] ?? 0;
        const shown = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell;
        return typeof rows[index]?.[place] === 'number' ? shown.padStart(width) : shown.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
