/** A reader finds a file by its folder: folders are small, and docs/architecture.md names each of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root, textOf } from './documents.js';

const MOST_ENTRIES = 12;
const MOST_LINES = 320;

/** Folders with a list of like things, and their bounds: each command of `data-import-sdk` has a file or a folder. */
const LISTS: Readonly<Record<string, number>> = { 'src/cli/commands': 14 };

/** Folders whose parts docs/architecture.md explains one by one. */
const EXPLAINED = ['src/http', 'src/migration', 'src/cli', 'src/sandbox'];

const folders = ['src', 'schemas'].flatMap((top) => [top, ...foldersIn(top)]);

test.each(folders)('%s has at most 12 entries, or is a list that docs/architecture.md explains', (folder) => {
  expect(readdirSync(`${root}/${folder}`).length).toBeLessThanOrEqual(LISTS[folder] ?? MOST_ENTRIES);
});

test.each(folders.filter((folder) => EXPLAINED.some((top) => folder.startsWith(`${top}/`))))(
  '%s is in docs/architecture.md',
  (folder) => {
    const top = EXPLAINED.find((one) => folder.startsWith(`${one}/`)) ?? '';
    const [, section = ''] = textOf('docs/architecture.md').split(`## Folders of \`${top}/\``);
    expect(section.split('\n## ')[0]).toContain(`\`${folder.slice(top.length + 1)}/\``);
  },
);

test.each(Object.keys(LISTS))('docs/architecture.md explains why %s has more entries', (folder) => {
  expect(textOf('docs/architecture.md')).toContain(`\`${folder}/\` has more than ${MOST_ENTRIES} entries`);
});

test('no file of the source has more than 320 lines', () => {
  const long = folders
    .flatMap((folder) => readdirSync(`${root}/${folder}`).map((name) => `${folder}/${name}`))
    .filter(
      (path) => path.endsWith('.ts') && readFileSync(`${root}/${path}`, 'utf8').split('\n').length - 1 > MOST_LINES,
    );
  expect(long).toEqual([]);
});

function foldersIn(folder: string): string[] {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [`${folder}/${name}`, ...foldersIn(`${folder}/${name}`)]);
}
