/**
 * Each line of shell that a page prints is typed by a test, which compares its exit code, or is listed here with the reason why not. A
 * test that types a page has each of its lines as a literal.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandLinesOf, documents, root } from './documents.js';

/** The tests that type the commands of pages. */
const TYPED_BY = [
  'test/full/readme-sequence.test.ts',
  'test/full/from-csv-to-production.test.ts',
  'test/full/guides.test.ts',
  'test/full/guides-many-machines.test.ts',
];

/** Lines that no test types as they are. */
const NOT_TYPED: [RegExp, string][] = [
  [/^export /, 'a test sets these variables to its own servers, and fails for one that it does not know'],
  [
    /^npm (init|install)( |$)/,
    'installs from a registry: test/package installs the packed package and its optional packages',
  ],
  [/^npm ci( && npm (run demo|test))?$/, '.ci/run gives these commands'],
  [/^npm (test|run [a-z:]+)$/, 'a command for contributors: .ci/run gives those that check something'],
  [/^npm run bench -- /, 'takes up to hours: test/full/bench.test.ts runs them with --quick'],
  [/^npx tsx examples\//, 'test/package/package.test.ts runs each example'],
  [/^jq -rc \.original /, 'a test writes the same lines without jq'],
  [/^createdb /, 'needs a server: test/full/guides-many-machines.test.ts starts one with a database'],
  [
    /^(docker|kubectl|mkdir|POSTGRES=|printf|chmod) ?/,
    'needs a container engine or a cluster: test/examples/distributed.test.ts compares the files with the flags of the commands',
  ],
];

const lines = documents.flatMap((document) => commandLinesOf(document).map((line) => ({ document, line })));
const tests = TYPED_BY.map((path) => readFileSync(join(root, path), 'utf8'));
const isTyped = (line: string) => tests.some((text) => text.includes(`'${line}'`));
const reasonFor = (line: string) => NOT_TYPED.find(([pattern]) => pattern.test(line))?.[1];

test('the pages print as many lines of shell as were counted by hand', () => {
  expect(lines.length).toBeGreaterThan(80);
});

describe.each([...new Set(lines.map(({ document }) => document))])('%s', (document) => {
  test('each line of shell is typed by a test, or says why not', () => {
    expect(commandLinesOf(document).filter((line) => !isTyped(line) && reasonFor(line) === undefined)).toEqual([]);
  });
});

test.each(NOT_TYPED)('%s: %s', (pattern, reason) => {
  expect(lines.some(({ line }) => pattern.test(line) && !isTyped(line))).toBe(true);
  for (const [path] of reason.matchAll(/test\/[\w/-]+(\.test\.ts)?/g)) expect(existsSync(join(root, path))).toBe(true);
});

test('each command of this package is typed', () => {
  const commands = lines.filter(({ line }) => line.startsWith('npx data-import-sdk '));
  expect(commands.filter(({ line }) => !isTyped(line))).toEqual([]);
});
