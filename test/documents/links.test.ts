/** Every link and picture of README and docs leads to a file of the repository, and to a heading that is there. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { documents, root, textOf } from './documents.js';

test.each(documents)('the links of %s lead somewhere', (document) => {
  const targets = [...textOf(document).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
    ([, link, picture]) => link ?? picture ?? '',
  );
  const broken = targets.filter((target) => !target.startsWith('https://') && !leadsSomewhere(document, target));
  expect(broken).toEqual([]);
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
