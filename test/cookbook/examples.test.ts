/** The examples, run as they are; test/package runs them once more on the packed package. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { EXPECTED_LINES, linesIn } from './expected-lines.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const examples = readdirSync(`${root}/examples`).filter((name) => /^\d\d-.*\.ts$/.test(name));

/** They start processes, wait as long as a service asks for, or run several imports, which takes seconds: only test/package runs them. */
const LONG = new Set([
  ...['08-rehearse-failures', '10-resume-after-a-crash', '13-many-suppliers', '16-watch-and-stop'],
  ...['18-rehearse-and-verify'],
]);
/** It is a test itself. */
const A_TEST = '12-mock-in-your-tests.test';

test.each(Object.keys(EXPECTED_LINES).filter((name) => !LONG.has(name)))('%s prints what is promised', async (name) => {
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((...values) => void printed.push(format(...values)));
  await import(`../../examples/${name}.ts`);
  const expected = EXPECTED_LINES[name] ?? [];
  expect(linesIn(printed.join('\n'), expected), printed.join('\n')).toEqual(expected);
});

describe('each example', () => {
  test('is run, here or in test/package', () => {
    expect([...Object.keys(EXPECTED_LINES), A_TEST].sort()).toEqual(examples.map((name) => name.replace(/\.ts$/, '')));
  });

  test.each(examples)('%s has at most 60 lines, and begins by saying what it is for', (name) => {
    const lines = readFileSync(`${root}/examples/${name}`, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(60);
    expect(lines[0]).toMatch(/^\/\*\* [A-Z].*\. ?.*\*\/$/);
  });

  test.each(examples)('%s has a row in docs/cookbook.md', (name) => {
    expect(readFileSync(`${root}/docs/cookbook.md`, 'utf8')).toContain(`(../examples/${name})`);
  });
});
