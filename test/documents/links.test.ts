/** Every link and picture of README and docs leads to a file of the repository, and to a heading that is there. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { documents, root, textOf } from './documents.js';

test.each([...documents, 'llms.txt'])('the links of %s lead somewhere', (document) => {
  const targets = [...textOf(document).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
    ([, link, picture]) => link ?? picture ?? '',
  );
  expect(targets.filter((target) => !target.startsWith('https://') && !leadsSomewhere(document, target))).toEqual([]);
});

/** What is on the page of the package; pictures need a repository, which is not known. */
const PUBLISHED = /^(README|CONTRIBUTING|SECURITY|CHANGELOG|docs\/[\w-]+)\.md$|^examples\//;

test.each(documents)('the links of %s lead to what is published with it', (document) => {
  const targets = [...textOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link.replace(/#.*/, ''));
  const files = targets
    .filter((target) => target !== '' && !/^https?:/.test(target))
    .map((target) => normalize(join(dirname(document), target)));
  expect(files.filter((file) => !PUBLISHED.test(file))).toEqual([]);
});

test('package.json publishes them', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
  expect(files).toEqual([
    'dist',
    'docs/*.md',
    'examples',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'llms.txt',
  ]);
});

function leadsSomewhere(document: string, target: string): boolean {
  const [path = '', heading] = target.split('#');
  const file = path === '' ? document : normalize(join(dirname(document), path));
  if (!existsSync(join(root, file))) return false;
  return heading === undefined || headingsOf(file).includes(heading);
}

/** As repositories make anchors of them. */
function headingsOf(file: string): string[] {
  return [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, words = '']) =>
    words
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
