/** docs/compatibility.md names only tests and workflows that exist, with a case of that name, and the files that run nowhere are not named. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root, textOf } from './documents.js';

interface Row {
  what: string;
  file: string;
  named: string;
}

const [ofTests = ''] = textOf('docs/compatibility.md').split('\n## Beside other SDKs');
const rows: Row[] = ofTests
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => {
    const [, part = '', what = '', file = '', named = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return { what: `${part} ${what}`.trim(), file, named };
  });
const tested = rows.filter(({ file }) => file !== 'not tested');

test('the table has a row for each part', () => {
  expect(tested.length).toBeGreaterThan(30);
});

describe.each(tested)('$what', ({ file, named }) => {
  test(`is run by ${file}`, () => {
    expect([file, named]).toEqual([expect.stringMatching(/^`[^`]+`$/), expect.stringMatching(/^`[^`]+`$/)]);
    const path = file.slice(1, -1);
    expect(path).toMatch(/^(test\/.+\.test\.ts|\.github\/workflows\/\w+\.yml)$/);
    expect(existsSync(join(root, path)), `${path} does not exist`).toBe(true);
    const quoted = path.startsWith('test/') ? new RegExp(`['"\`]${escaped(named.slice(1, -1))}`) : named.slice(1, -1);
    expect(readFileSync(join(root, path), 'utf8')).toMatch(quoted);
  });
});

test('the workflow runs the oldest Node that package.json supports', () => {
  expect(JSON.parse(textOf('package.json')).engines.node).toBe('>=20.19');
  expect(rows.map(({ what }) => what)).toContain('Node.js 20.19 and newer, 22, 24, 26: the whole suite');
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
