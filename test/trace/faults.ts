/** What is wrong with a trace table: each fault names the row or the test, and says what to do. */
import type { Chapter, Row } from './chapter.js';
import { meant } from './resolve.js';
import type { Title } from './titles.js';

const numbered = (kind: string, last: number) => Array.from({ length: last }, (_, index) => `${kind}${index + 1}`);

/** The ids of the acceptance page. */
export const CHECK_IDS = [...numbered('C', 9), ...numbered('E', 14), ...numbered('I', 3), ...numbered('U', 32)];

export function faultsOf(chapters: readonly Chapter[], titles: readonly Title[]): string[] {
  const rows = chapters.flatMap((chapter) => chapter.rows.map((row) => ({ chapter: chapter.title, row })));
  return [
    ...repeatedIds(rows.map(({ row }) => row)),
    ...rows.flatMap(({ chapter, row }) => faultsOfRow(row, titles).map((fault) => `${row.id} (${chapter}): ${fault}`)),
    ...unknownInTitles(titles),
    ...withoutTest(titles),
  ];
}

function repeatedIds(rows: readonly Row[]): string[] {
  return rows
    .filter(({ id }, index) => rows.findIndex((row) => row.id === id) !== index)
    .map(({ id, says }) => `${id} is the id of two rows: give "${says}" the next free one.`);
}

function faultsOfRow({ says, checks, tests }: Row, titles: readonly Title[]): string[] {
  const unknown = checks.filter((id) => !CHECK_IDS.includes(id));
  const found = tests.map((reference) => ({ reference, titles: meant(reference, titles) }));
  // A case may carry an id that its title leaves open: `%s` for "E4 domestic account".
  const carried = new Set(
    found.flatMap((each) => [each.reference, ...each.titles.map(({ full }) => full)]).flatMap(idsIn),
  );
  return [
    ...(tests.length === 0 ? [`no test checks "${says}". Write one, and name it here.`] : []),
    ...(checks.length === 0 ? ['it names no id of the acceptance page. Name those of its tests.'] : []),
    ...unknown.map((id) => `${id} is no id of the acceptance page. Correct the row.`),
    ...found.filter(({ titles }) => titles.length !== 1).map(({ reference, titles }) => notOne(reference, titles)),
    ...checks
      .filter((id) => !unknown.includes(id) && !carried.has(id))
      .map((id) => `none of its tests has ${id} in its title. Name one that has, or take the id away.`),
  ];
}

function notOne(reference: string, found: readonly Title[]): string {
  if (found.length === 0)
    return `no test has the title "${reference}". Write the test, or name the one that checks this.`;
  const them = found.map(({ file, full }) => `"${full}" in ${file}`).join(', ');
  return `"${reference}" may be ${found.length} tests: ${them}. Write more of the title, with its group before it.`;
}

function unknownInTitles(titles: readonly Title[]): string[] {
  return titles.flatMap(({ file, own, full }) =>
    idsIn(full)
      .filter((id) => !CHECK_IDS.includes(id))
      .map((id) => `${file}: "${own}" carries ${id}, which the acceptance page does not have. Correct the title.`),
  );
}

function withoutTest(titles: readonly Title[]): string[] {
  const carried = new Set(titles.flatMap(({ full }) => idsIn(full)));
  return CHECK_IDS.filter((id) => !carried.has(id)).map(
    (id) => `${id} is in no title of a test. Write its test, and begin the title with the id.`,
  );
}

function idsIn(title: string): string[] {
  return title.match(/\b[CEIU]\d+\b/g) ?? [];
}
