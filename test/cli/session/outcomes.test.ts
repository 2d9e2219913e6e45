/** What a session can leave for a person: the same kind of record has its words, its file, its exit code and its command everywhere. */
import { expect, test } from 'vitest';
import { nextSteps } from '../../../src/cli/session/next-commands.js';
import { summaryInWords } from '../../../src/cli/session/result-text.js';
import { exitCodeOfSession } from '../../../src/migration/report/exit-code.js';
import { reportPage } from '../../../src/migration/report/html/page.js';
import type { Summary } from '../../../src/migration/report/summary/summary.js';
import { EMPTY, richReport } from '../../migration/report/rich-report.js';

const NOTHING = { refused: 0, named: 0, unsent: 0, neverSkipped: 0, ofAnother: 0 };
const two = { count: 2, samples: [] };

type Row = [title: string, code: number, files: string[], next: string[], some: Partial<Summary>];
const REJECTED = ['rejected.csv', 'rejected.jsonl'];

test.each<Row>([
  ['2 unknown outcomes', 4, ['unknown.jsonl'], ['2 unknown: resolve'], { unknown: 2 }],
  [
    '2 records to correct',
    3,
    REJECTED,
    ['2 rejected: retry data-import-run/rejected.csv'],
    { rejected: 2, toCorrect: { listed: 2, lines: 0, inSheet: 2, inFiles: 0 } },
  ],
  [
    '2 records to correct',
    3,
    REJECTED,
    ['2 rejected, lines and rows without a record: '],
    { rejected: 2, toCorrect: { listed: 0, lines: 0, inSheet: 0, inFiles: 2 } },
  ],
  ['2 unfinished', 9, ['unfinished.jsonl'], ['Next: run in.jsonl'], { unfinished: 2 }],
  [
    '2 accounts lack items',
    3,
    ['incomplete.jsonl'],
    ['2 with rejected items: retry data-import-run/incomplete.jsonl'],
    { incomplete: 2, lacking: { ...NOTHING, refused: 2, named: 2 } },
  ],
  [
    '2 accounts lack items',
    3,
    ['incomplete.jsonl'],
    ['2 that existed before, with statements or payment instructions that were not sent: '],
    { incomplete: 2, lacking: { ...NOTHING, neverSkipped: 2 } },
  ],
  // The rows are of three accounts, of which one lacks items of two kinds.
  [
    '3 accounts lack items',
    3,
    ['incomplete.jsonl'],
    [
      '1 with rejected items: retry data-import-run/incomplete.jsonl',
      '2 with items that were not sent: ',
      "1 known to the service by another number, with items that were not sent: resolve --accept removed --account '<number>'",
    ],
    { incomplete: 3, lacking: { ...NOTHING, refused: 1, unsent: 2, ofAnother: 1 } },
  ],
  // Of five, one has the content of another line, and two wait for a business that was rejected.
  [
    '4 records skipped',
    3,
    ['skipped.jsonl'],
    ['2 skipped: another line has the number and other content: '],
    { skipped: 5, duplicates: 1, waiting: 2, contradicting: 2 },
  ],
  ['', 0, ['skipped.jsonl'], [], { skipped: 1, duplicates: 1 }],
  [
    '2 records were never sent',
    3,
    ['not-in-input.jsonl'],
    ['2 no longer in the input: forget --not-in-input'],
    { notInInput: 2 },
  ],
  [
    '2 other amounts',
    3,
    [],
    ['2 confirmed with another amount than was sent: '],
    { otherAmounts: { count: 2, places: [] } },
  ],
  [
    '2 lines differ from those that were sent',
    3,
    ['changed.jsonl'],
    ['2 changed after they were sent: resolve --accept changed'],
    { changed: { ...two, unsent: 0, others: 0, fields: [] } },
  ],
  [
    '2 records no longer in the input',
    3,
    ['not-in-input.jsonl'],
    ['2 on the service, and no longer in the input: resolve --accept removed'],
    { removed: two },
  ],
])('%s: code %i, with its file and its command', (title, code, files, next, some) => {
  const summary = { ...EMPTY, input: 9, created: 1, ...some };
  const end = { state: 'finished' as const, summary };
  expect(exitCodeOfSession({ ...end, configuration: {} }, summary)).toBe(code);
  // After a canary the rest of the input follows, unless an outcome is unknown.
  expect(exitCodeOfSession({ ...end, configuration: { canary: 1 } }, summary)).toBe(
    code === 4 || code === 9 ? code : 7,
  );
  const page = reportPage({ ...richReport(), summary });
  expect(/<h1>Stopped: 1 record created(?:, )?([^<]*)<\/h1>/.exec(page)?.[1]).toBe(title);
  expect([...page.matchAll(/href="([^"]*(?:csv|jsonl))"/g)].map(([, name]) => name)).toEqual([...files, 'ok.csv']);
  const steps = nextSteps({
    ...{ ...end, folder: 'data-import-run', program: 'import', configuration: {}, command: { verb: 'run', parts: [] } },
    ...{ continueWith: 'import run in.jsonl', runCommand: 'import run in.jsonl', runAgainWith: [] },
  });
  const said = steps
    .filter(({ state }) => state !== 'To run again')
    .map(
      ({ count, state, command = '' }) =>
        `${count === undefined ? '' : `${count} `}${state}: ${command.replace('import ', '')}`,
    );
  expect(said).toEqual(next);
});

test('the summary on the terminal has the sentences of the report page', () => {
  const said = summaryInWords({ ...EMPTY, waiting: 2, incomplete: 1 }, 'run');
  expect(said).toContain('2 accounts skipped because the business was not created.');
  expect(said).toContain('1 account exists without all items: see incomplete.jsonl.');
});
