/** The trace table as a page of Markdown: docs/conformance.md. */
import { fileURLToPath } from 'node:url';
import type { Chapter } from './chapter.js';
import { CHECK_IDS } from './faults.js';
import { type Cell, cellOf, PLACES } from './places.js';
import { meant } from './resolve.js';
import type { Title } from './titles.js';

export const PAGE_FILE = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));

export function pageOf(chapters: readonly Chapter[], titles: readonly Title[]): string {
  const rows = chapters.flatMap(({ title, rows }) => rows.map((row) => ({ chapter: title, ...row })));
  const left = chapters.flatMap(({ title, notChecked }) => notChecked.map((each) => ({ chapter: title, ...each })));
  const references = new Set(rows.flatMap(({ tests }) => tests));
  const ids = new Set(rows.flatMap(({ checks }) => checks));

  return [
    '# From the API specification to the tests',
    '',
    `Written by \`npm run trace\` from \`test/trace/\`; do not edit. The table has ${rows.length} sentences of the API specification, each with the`,
    `tests that check it: ${references.size} tests and cases, whose titles contain ${ids.size} of the ${CHECK_IDS.length} ids of the acceptance page (C common,`,
    'E endpoints, I invariants, U what the API specification does not show). A sentence that is shortened or continued has a …; `%s`',
    'and `%j` in a title stand for each of its cases, and `group > title` for a test in a group.',
    '',
    '| row | chapter | sentence of the API specification | ids | tests |',
    '|---|---|---|---|---|',
    ...rows.map(({ id, chapter, says, checks, tests }) =>
      tableRow([id, text(chapter), text(says), checks.join(' '), testsByFile(tests, titles)]),
    ),
    '',
    '## Not checked',
    '',
    `${left.length} sentences say nothing that a test could check.`,
    '',
    '| chapter | sentence of the API specification | why it is not checked |',
    '|---|---|---|',
    ...left.map(({ chapter, says, why }) => tableRow([chapter, says, why].map(text))),
    '',
    '## Each rule in each place',
    '',
    `How many tests check a rule of the acceptance page in the schemas, the client, the sandbox and the runner, and the first of them; or why`,
    'it has none there.',
    '',
    `| rule | ${PLACES.join(' | ')} |`,
    `|---|${PLACES.map(() => '---').join('|')}|`,
    ...CHECK_IDS.map((id) => tableRow([id, ...PLACES.map((place) => placeCell(cellOf(id, place, titles)))])),
    '',
  ].join('\n');
}

function placeCell({ tests, reason = '' }: Cell): string {
  const [first] = tests;
  if (first === undefined) return `none: ${text(reason)}`;
  return `${tests.length}: [${text(first.full)}](../${first.file})`;
}

/** Each file once, with the titles of its tests under it. */
function testsByFile(references: readonly string[], titles: readonly Title[]): string {
  const byFile = new Map<string, string[]>();
  for (const reference of references) {
    const [title] = meant(reference, titles);
    if (title === undefined) continue;
    // The beginning of a title is written out; a case stands as it is.
    const { file, own, full } = title;
    const shown = [own, full].find((each) => each.startsWith(reference)) ?? reference;
    byFile.set(file, [...(byFile.get(file) ?? []), text(shown)]);
  }
  return [...byFile].map(([file, shown]) => [`[${file}](../${file})`, ...shown].join('<br>')).join('<br>');
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Markdown must not take anything in it for its own, nor $…$ for a formula. */
function text(plain: string): string {
  return plain
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[|*_`[\]\\$]/g, '\\$&');
}
