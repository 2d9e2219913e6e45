/** The trace table is complete and correct: every test that it names exists, and every rule of the acceptance page has a test. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { operations } from '../../schemas/operations.js';
import type { Row } from './chapter.js';
import { document } from './document.js';
import { CHECK_IDS, faultsOf } from './faults.js';
import { DATA_FILE, dataOf, fidelityOf, PAGE_FILE, pageOf } from './fidelity.js';
import { placeFaults } from './places.js';
import { type Title, testTitles, titlesIn } from './titles.js';

const titles = testTitles();

test('every row names tests that exist, and every id of the acceptance page has a test', () => {
  expect(faultsOf(document, titles)).toEqual([]);
});

test('every rule of the acceptance page has a test in each place where it applies', () => {
  expect(placeFaults(CHECK_IDS, titles)).toEqual([]);
});

describe('the report on the fidelity of the sandbox', () => {
  const fidelity = fidelityOf(document, titles);

  test('is in docs/fidelity.md and docs/fidelity.json as the tables give it', () => {
    const isCurrent =
      readFileSync(PAGE_FILE, 'utf8') === pageOf(fidelity) && readFileSync(DATA_FILE, 'utf8') === dataOf(fidelity);
    expect(isCurrent, 'A table or a title has changed: run npm run fidelity').toBe(true);
  });

  test('has a test and evidence for each rule, each answer and each assumption, and a setting for each assumption', () => {
    const { rules, answers, assumptions, notImplemented } = fidelity;
    const held = [...rules, ...answers, ...assumptions];
    expect(held.filter(({ tests, evidence }) => tests.length === 0 || evidence.length === 0)).toEqual([]);
    expect(notImplemented.filter(({ tests }) => tests.length === 0)).toEqual([]);
    expect(assumptions.filter(({ settings }) => Object.keys(settings).length === 0)).toEqual([]);
    expect([rules.length, answers.length, assumptions.length]).toEqual([241, 57, 32]);
  });

  test('has each answer of the table of operations, and no other', () => {
    const documented = Object.entries(operations).flatMap(([name, { answers }]) =>
      Object.keys(answers).map((status) => `${name} ${status}`),
    );
    const reported = fidelity.answers.map(({ operation, status }) => `${operation} ${status}`);
    expect(reported.sort()).toEqual(documented.sort());
  });
});

test('no sentence is lost: the chapters in the order of the document, with their rows and what is not checked', () => {
  expect(document.map(({ title, rows, notChecked }) => [title, rows.length, notChecked.length])).toEqual([
    ['Opening', 2, 2],
    ['What the service does', 13, 2],
    ['Conventions', 15, 0],
    ['Account payload (validate and stage)', 24, 0],
    ['Account payload (validate and stage): customers', 6, 0],
    ['Account payload (validate and stage): supply addresses', 15, 0],
    ['Contract (account_contracts item and business_contracts item)', 12, 0],
    ['Business payload (create business)', 5, 0],
    ['Note', 6, 0],
    ['Transaction (post-import)', 12, 0],
    ['Historical statement', 2, 0],
    ['Payment instruction (account and business)', 3, 1],
    ['Account import status (returned by the status endpoint)', 6, 0],
    ['Import supplier status (set by the platform operator)', 4, 0],
    ['Account data lifecycle', 4, 0],
    ['Endpoints', 2, 0],
    ['Pre-population', 6, 0],
    ['Business', 11, 0],
    ['Account import', 21, 0],
    ['Post-import (account): notes', 9, 0],
    ['Post-import (account): transactions', 15, 0],
    ['Post-import (account): historical statements', 5, 0],
    ['Post-import (account): payment instructions', 6, 0],
    ['Status queries', 13, 0],
    ['Authentication', 7, 1],
    ['Events', 0, 1],
    ['Validation error body (400)', 4, 0],
    ['Status codes', 8, 0],
    ['Limits', 2, 2],
    ['Versioning', 3, 2],
  ]);
  for (const { says, why } of document.flatMap(({ notChecked }) => notChecked)) {
    expect([says, why]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
  }
});

test('the acceptance page has 9 common checks, 14 endpoints, 3 invariants and 32 entries of the register', () => {
  expect(CHECK_IDS).toHaveLength(58);
  for (const last of ['C9', 'E14', 'I3', 'U32']) expect(CHECK_IDS).toContain(last);
});

describe('a fault is found', () => {
  const title = (own: string, group = 'group'): Title => ({
    file: 'test/a.test.ts',
    own,
    full: `${group} > ${own}`,
    words: new Set(['Paused', '7', 'notes.0', 'body']),
  });
  const allIds = title(`a test that carries ${CHECK_IDS.join(' ')}`);
  const existing = [
    title('E5 stage: a supplier that is %s is 400'),
    title('E5 first'),
    title('E5 first of all'),
    allIds,
  ];
  const row = (more: Partial<Row>): Row => ({
    id: 'D1',
    says: 'It says.',
    checks: ['E5'],
    tests: ['E5 first'],
    ...more,
  });
  const faults = (rows: Row[], among: Title[] = existing) =>
    faultsOf([{ title: 'Chapter', rows, notChecked: [] }], among);

  test('and none where there is none', () => {
    expect(faults([row({})])).toEqual([]);
    expect(faults([row({ tests: ['group > E5 first'] })])).toEqual([]);
    expect(faults([row({ tests: ['E5 first of'] })])).toEqual([]);
    expect(faults([row({ tests: ['E5 stage: a supplier that is Paused is 400'] })])).toEqual([]);
    expect(faults([row({ tests: ['E5 stage: a supplier that is notes.0.body is 400'] })])).toEqual([]);
    expect(faults([row({ tests: ['E5 stage: a supplier that is %s is 400'] })])).toEqual([]);
  });

  test.each<[name: string, fault: string, more: Partial<Row>]>([
    [
      'a title that no test has',
      'no test has the title "E5 second". Write the test, or name the one that checks this.',
      { tests: ['E5 first', 'E5 second'] },
    ],
    [
      'a case that is written nowhere',
      'no test has the title "E5 stage: a supplier that is Gone is 400". Write the test, or name the one that checks this.',
      { tests: ['E5 first', 'E5 stage: a supplier that is Gone is 400'] },
    ],
    [
      'the beginning of two titles',
      '"E5 fir" may be 2 tests: "group > E5 first" in test/a.test.ts, "group > E5 first of all" in test/a.test.ts. ' +
        'Write more of the title, with its group before it.',
      { tests: ['E5 fir'] },
    ],
    ['no test at all', 'no test checks "It says.". Write one, and name it here.', { checks: [], tests: [] }],
    ['no id', 'it names no id of the acceptance page. Name those of its tests.', { checks: [] }],
    ['an unknown id', 'E15 is no id of the acceptance page. Correct the row.', { checks: ['E5', 'E15'] }],
    [
      'an id that its tests do not carry',
      'none of its tests has U1 in its title. Name one that has, or take the id away.',
      { checks: ['E5', 'U1'] },
    ],
  ])('in a row: %s', (_, fault, more) => {
    expect(faults([row(more)])).toContain(`D1 (Chapter): ${fault}`);
  });

  test('two rows of one id', () => {
    expect(faults([row({}), row({ says: 'It says more.' })])).toEqual([
      'D1 is the id of two rows: give "It says more." the next free one.',
    ]);
  });

  test('a title with an id that does not exist, on a test or on its group', () => {
    expect(faults([row({})], [...existing, title('E15 lists'), title('one', 'U33')])).toEqual([
      'test/a.test.ts: "E15 lists" carries E15, which the acceptance page does not have. Correct the title.',
      'test/a.test.ts: "one" carries U33, which the acceptance page does not have. Correct the title.',
    ]);
  });

  test('an id without a test', () => {
    const others = title(CHECK_IDS.filter((id) => id !== 'I2' && id !== 'U32').join(' '));
    expect(faults([row({})], [title('E5 first'), others])).toEqual([
      'I2 is in no title of a test. Write its test, and begin the title with the id.',
      'U32 is in no title of a test. Write its test, and begin the title with the id.',
    ]);
  });
});

test('titles are read with their groups and as they are written; what is skipped has none', () => {
  const source = `
    test('one', () => {});
    it.each([[1, 'a']])('two %i', () => {});
    describe.each(names)('group $name', () => {
      it(\`three \${name} and \${other}\`, () => { expect(test.each).toBeDefined(); });
      for (const x of y) { describe('inner', () => { test.each\`a\`('four', () => {}); }); }
    });
    test.skip('five', () => {});
    describe.skip('gone', () => { test('six', () => {}); });
    test.todo('seven');
    /test/.test('eight');
  `;
  expect(titlesIn(ts.createSourceFile('a.ts', source, ts.ScriptTarget.ES2022))).toEqual([
    ['one'],
    ['two %i'],
    ['group $name', `three \${…} and \${…}`],
    ['group $name', 'inner', 'four'],
  ]);
});
