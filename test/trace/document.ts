/** The document, sentence by sentence and in its order: what checks each. The rows are in `document.md`, which says how to read it. */
import { readFileSync } from 'node:fs';
import type { Chapter, Row } from './chapter.js';

const ROW = /^(D\d+) \(([^)]*)\): (.+)$/;
const NOT_CHECKED = 'Not checked: ';

export const document: readonly Chapter[] = readFileSync(new URL('document.md', import.meta.url), 'utf8')
  .split('\n## ')
  .slice(1)
  .map(chapterOf);

function chapterOf(text: string): Chapter {
  const [title = '', ...blocks] = text.trimEnd().split('\n\n');
  const rows: Row[] = [];
  const notChecked: Chapter['notChecked'][number][] = [];
  for (const block of blocks) {
    const [head = '', ...items] = block.split('\n').map((line) => line.replace(/^- /, ''));
    const [, id, checks, says] = ROW.exec(head) ?? [];
    if (id !== undefined && checks !== undefined && says !== undefined) {
      rows.push({ id, says, checks: checks.split(', '), tests: items });
    } else if (head.startsWith(NOT_CHECKED) && items.length === 1) {
      notChecked.push({ says: head.slice(NOT_CHECKED.length), why: items.join() });
    } else {
      throw new Error(`document.md, in "${title}": "${head}" is no entry.`);
    }
  }
  return { title, rows, notChecked };
}
