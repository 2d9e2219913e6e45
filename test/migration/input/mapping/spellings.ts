/**
 * Reads a table of spellings: `form → text | text = expected | text = expected`. A text without its own `=` means what the next one
 * with it means. A line that begins with // is a comment.
 */
export function spellingsOf(table: string): [text: string, form: string, expected: string][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !line.startsWith('//'))
    .flatMap((line) => {
      const [form = '', cells = ''] = line.split(' → ');
      const rows: [string, string, string][] = [];
      let expected: string | undefined;
      for (const cell of cells.split(' | ').reverse()) {
        const [text = '', own] = cell.split(' = ');
        expected = own ?? expected;
        if (expected === undefined) throw new Error(`"${line}" ends without a meaning.`);
        rows.unshift([text, form, expected]);
      }
      return rows;
    });
}
