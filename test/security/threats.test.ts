/** docs/threat-model.md: every threat has a defence, and names a test that is there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { meant } from '../trace/resolve.js';
import { titlesOfFiles } from '../trace/titles.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/threat-model.md'), 'utf8');
const files = new Set([...(page.match(/test\/[\w/.-]+\.test\.ts/g) ?? []), 'test/security/threats.test.ts']);
const titles = titlesOfFiles([...files].map((file) => join(root, file)).filter((path) => existsSync(path)));

/** The rows of a page's tables, without heads: threat, defence, test. */
function rowsOf(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| threat |'))
    .map((line) => line.slice(2, -2).split(' | '));
}

/** What is wrong with a row; undefined where nothing is. */
function faultOf([threat = '', defence = '', test = '', ...rest]: readonly string[]): string | undefined {
  if (rest.length > 0 || [threat, defence, test].includes('')) return `${threat}: expected threat, defence and test`;
  const [, file, title = ''] = /^`(test\/[\w/.-]+\.test\.ts)`: (.+)$/.exec(test) ?? [];
  const found = meant(
    title,
    titles.filter((candidate) => candidate.file === file),
  );
  return found.length === 1 ? undefined : `${threat}: ${found.length} tests are ${test}`;
}

describe('docs/threat-model.md', () => {
  it('names for each threat one existing test', () => {
    const rows = rowsOf(page);
    expect(rows.length).toBeGreaterThan(60);
    expect(rows.map(faultOf).filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('a row without a defence, and one with a missing test, are found', () => {
    const file = '`test/security/threats.test.ts`';
    expect(rowsOf(`| threat | defence | test |\n|---|---|---|\n| a | b | ${file}: names for |\n`).map(faultOf)).toEqual(
      [undefined],
    );
    expect(faultOf(['a', '', `${file}: names for`])).toBe('a: expected threat, defence and test');
    expect(faultOf(['a', 'b', `${file}: no such title`])).toBe(`a: 0 tests are ${file}: no such title`);
    expect(faultOf(['a', 'b', 'no file: names for'])).toBe('a: 0 tests are no file: names for');
  });
});
