/**
 * The rows of a table in a template, one a line, with ` | ` between its cells. A cell that reads as JSON is its value, `-` is
 * undefined, every other is a text.
 */
export function rowsOf<Row extends readonly unknown[]>({ raw: [table = ''] }: TemplateStringsArray): Row[] {
  const lines = table.trim().split('\n');
  return lines.map((line) => line.trim().split(' | ').map(cellOf) as readonly unknown[] as Row);
}

function cellOf(text: string): unknown {
  if (text === '-') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
