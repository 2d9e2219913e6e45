/** Rows of a ledger that were changed by a user or a disk fault: the message says so, and quotes no part of them. */
import { copyFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ledgerDatabaseError } from '../../src/migration/ledger/postgres/database-error.js';
import { recordOf } from '../../src/migration/ledger/sql/tables.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { account, openFolder, run } from '../cli/typed.js';
import { changeLedger, countAsOriginal } from '../support/change-ledger.js';

const { at, inputFile } = openFolder();
const NAME = 'Ottoline Brumelle';
let input = '';
let close: () => Promise<unknown> = async () => {};

beforeAll(async () => {
  const sandbox = createSandbox();
  const server = await sandbox.listen();
  close = () => server.close();
  vi.stubEnv('DATA_IMPORT_TOKEN', sandbox.token);
  vi.stubEnv('DATA_IMPORT_BASE_URL', server.url);
  vi.stubEnv('DATA_IMPORT_TEAM', 'SANDBOX_TEAM');
  const wrong = account('A-2', { customers: [{ landline: 'none' }] });
  input = inputFile('input.jsonl', { ...account('A-1'), notes: [{ body: 'x' }] }, wrong);
  expect((await run('run', input, '--run', at('run'))).code).toBe(3);
  // It is copied over the ledger for each test.
  await countAsOriginal(at('run'));
  copyFileSync(at('run/ledger.sqlite'), at('whole.sqlite'));
});

afterAll(async () => {
  await close();
  vi.unstubAllEnvs();
});

/** Changes the ledger of the run as another program would. */
async function damage(statement: string): Promise<void> {
  copyFileSync(at('whole.sqlite'), at('run/ledger.sqlite'));
  await changeLedger(at('run'), statement);
  // `report` reads the records only if this report is not theirs.
  rmSync(at('run/report.json'), { force: true });
}

const MESSAGE =
  /^data-import-sdk: ledger: cannot read .*run\/ledger\.sqlite \(row \d+ of its table record is damaged\)\. The file is damaged: restore it from a copy, then compare with data-import-sdk verify\. Do not delete it: a run without its ledger starts from the beginning\.\n$/;

const MESSAGE_OF_LINE = new RegExp(MESSAGE.source.replace('table record', 'table payload'));

const COLUMNS: [column: string, value: string][] = [
  ['errors', NAME],
  ['errors', `[{"step":"check","code":1,"attr":"${NAME}"}]`],
  ['errors', `{"step":"${NAME}"}`],
  ['errors', `["${NAME}"]`],
  ['unknown', `["create"] ${NAME}`],
  ['unknown', `["${NAME}"]`],
  ['items', NAME],
  ['items', `{"n":["${NAME}",{}]}`],
  ['items', `{"n":{"total":"${NAME}"}}`],
  ['items', `{"n":"${NAME}|s"}`],
  ['items', '{"n":"q1w2e3r4|2s"}'],
  ['items', 'null'],
  ['kind', NAME],
  ['outcome', NAME],
  ['done', NAME],
  ['intent', NAME],
  ['version', NAME],
  ['line', NAME],
  ['source', 'bytes'],
];

describe.each(COLUMNS)('a ledger whose column %s holds %s', (column, value) => {
  it.each([
    ['report', '--run', at('run')],
    ['run', at('input.jsonl'), '--run', at('run')],
  ])('ends %s with code 2 and the message of a damaged ledger, without its text', async (...words) => {
    await damage(`update record set "${column}" = ${value === 'bytes' ? 'zeroblob(3)' : `'${value}'`}`);
    const { code, out, err } = await run(...words);
    expect(out + err).not.toContain('Brumelle');
    expect(err).toMatch(MESSAGE);
    expect(code).toBe(2);
  });
});

it.each([
  ['body', NAME],
  ['body', `["${NAME}"]`],
  ['body', `{"business":{"name":"${NAME}"}}`],
  ['cells', NAME],
  ['cells', `{"name":"${NAME}"}`],
  ['label', 'bytes'],
])('the same if the stored line of a record has a column %s that holds %s', async (column, value) => {
  await damage(`update payload set "${column}" = ${column === 'label' ? 'zeroblob(3)' : `'${value}'`}`);
  const { code, out, err } = await run('run', at('input.jsonl'), '--run', at('run'), '--retry-rejected');
  expect(out + err).not.toContain('Brumelle');
  expect([code, err]).toEqual([2, expect.stringMatching(MESSAGE_OF_LINE)]);
});

it.each(['verify', 'forget --not-in-input', 'report'])(
  '%s ends with code 2 where every row is damaged',
  async (words) => {
    await damage(`update record set errors = '${NAME}'`);
    const { code, out, err } = await run(...words.split(' '), '--run', at('run'));
    expect(out + err).not.toContain('Brumelle');
    expect([code, err]).toEqual([2, expect.stringMatching(MESSAGE)]);
  },
);

it('a damaged entry outside of the records ends a run with code 2, without its text', async () => {
  await damage(`update fact set value = '["${NAME}' where name = 'suppliers'`);
  const { code, out, err } = await run('run', input, '--run', at('run'));
  expect(out + err).not.toContain('Brumelle');
  expect([code, err]).toEqual([
    2,
    'data-import-sdk: ledger: its entry "suppliers" is damaged. Restore the ledger from a copy, then compare with data-import-sdk verify.\n',
  ]);
});

describe('on PostgreSQL', () => {
  const where = 'schema s of database d on h:1';

  it('a damaged row has the same cause, and the remedy of a database', () => {
    const row = { ...ROW, errors: NAME };
    const cause = (() => {
      try {
        return recordOf(row);
      } catch (error) {
        return error;
      }
    })();
    expect(ledgerDatabaseError('read', where, cause).message).toBe(
      `ledger: cannot read ${where} (row 7 of its table record is damaged). The database is damaged: restore it from a copy.`,
    );
  });

  it('a value that the server cannot convert is not quoted', () => {
    const cause = Object.assign(new Error(`invalid input syntax for type bigint: "${NAME}"`), { code: '22P02' });
    expect(ledgerDatabaseError('read', where, cause).message).toBe(
      `ledger: cannot read ${where} (22P02). The database is damaged: restore it from a copy.`,
    );
  });
});

const ROW: Parameters<typeof recordOf>[0] = {
  seq: 7,
  supplier: 'ACME',
  kind: 'account',
  number: 'A-1',
  version: 1,
  hash: 'h',
  content_hash: '',
  corrected_from: null,
  done: null,
  intent: null,
  intent_at: null,
  intent_hash: null,
  intent_once: null,
  stage_unanswered_at: null,
  outcome: null,
  service_number: null,
  unknown: '[]',
  errors: '[]',
  warnings: null,
  difference: null,
  items: '{}',
  decisions: null,
  contract: null,
  source: 'input.jsonl',
  line: 1,
  updated_at: '2026-01-15T09:00:00.000Z',
  owner: null,
};
