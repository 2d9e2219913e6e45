/** Markdown as the pages of the reference are written in it. */

export interface Table {
  heads: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Cells are Markdown; a line break in one becomes a space. */
export function table({ heads, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n');
}

/** As code; empty for nothing. */
export function code(text: string): string {
  if (text === '') return '';
  const fence = text.includes('`') ? '``' : '`';
  return `${fence}${text}${fence}`;
}

/** Plain text of which Markdown must take nothing for its own. */
export function plain(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[*_`[\]\\]/g, '\\$&');
}

/** A value as TypeScript writes it. */
export function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll('"', "'").replaceAll(',', ', ').replaceAll(':', ': ');
}

export function page(title: string, ...parts: readonly string[]): string {
  return `# ${title}\n\n${WRITTEN}\n\n${parts.join('\n\n')}\n`;
}

const WRITTEN = '<!-- Written by `npm run reference`; do not edit. -->';

function cell(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|');
}
