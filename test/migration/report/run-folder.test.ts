/** The files of a run folder, and that neither a crash nor a second run loses entries. */
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { InputLine } from '../../../src/migration/input/source.js';
import { problemItem } from '../../../src/migration/input/text/parse-record.js';
import type { Ledger, LedgerRecord } from '../../../src/migration/ledger/ledger.js';
import { openRunFolder } from '../../../src/migration/report/folder/run-folder.js';
import { RunFolderError } from '../../../src/migration/report/folder/run-folder-error.js';
import { newFolder } from '../../helpers/folder.js';
import { business, items, ledgerOf, record, storedLine } from '../ledger/records.js';
import { account, itemsOf } from '../rehearsal.js';
import { richReport } from './rich-report.js';

async function place(): Promise<string> {
  const path = newFolder('run-folder-');
  return join(path, 'run');
}

/** The ledger's record of a line of an input. */
const recordOf = (item: InputLine | undefined, more: Partial<LedgerRecord>): LedgerRecord => {
  const read = item?.read();
  if (item === undefined || read === undefined || !('record' in read) || !('account' in read.record)) throw new Error();
  const { hash, source, line } = item;
  return record(read.record.account.external_account_number, { hash, source, line, ...more });
};

const storeLines = (ledger: Ledger, lines: readonly InputLine[]) =>
  ledger.addLines(
    1,
    lines.map((item) => storedLine(recordOf(item, {}), item.text)),
  );

const entriesOf = async (path: string) =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const PHONE = [{ step: 'check', code: 'invalid_phone_number', attr: 'account.customers.0.landline' }] as const;

describe('the folder itself', () => {
  test('for this user only, and out of version control by itself', async () => {
    const path = await place();
    await openRunFolder(path);
    expect(await modeOf(path)).toBe('700');
    expect(await readFile(join(path, '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('one of an earlier run is taken, and closed to others again', async () => {
    const path = await place();
    const first = await openRunFolder(path);
    await first.audit.append({ at: '2026-01-15T09:00:00.000Z', by: 'operator', what: 'pause' });
    await chmod(path, 0o755);
    const second = await openRunFolder(path);
    expect(await modeOf(path)).toBe('700');
    expect(await second.audit.entries()).toHaveLength(1);
  });

  test('files of a command that was killed while it created the folder do not block the next one', async () => {
    const path = await place();
    await mkdir(path);
    await writeFile(join(path, '.gitignore'), '');
    await openRunFolder(path);
    expect(await readFile(join(path, '.gitignore'), 'utf8')).toBe('*\n');
    expect((await readdir(path)).sort()).toEqual(['.gitignore', 'audit.log']);
  });

  test('commands that create the folder at the same time all open it: the lock of the ledger decides', async () => {
    const path = await place();
    await Promise.all(Array.from({ length: 20 }, () => openRunFolder(path)));
    expect(await readFile(join(path, '.gitignore'), 'utf8')).toBe('*\n');
    expect((await readdir(path)).sort()).toEqual(['.gitignore', 'audit.log']);
  });

  test('the mark of a run folder is not written again: a command that is killed meanwhile leaves it complete', async () => {
    const path = await place();
    await openRunFolder(path);
    const { ino, mtimeMs } = await stat(join(path, '.gitignore'));
    await openRunFolder(path);
    expect(await stat(join(path, '.gitignore'))).toMatchObject({ ino, mtimeMs });
  });

  test.each([
    ['with other things', 'letters.txt', 'x'],
    ['of a project, whose .gitignore is its own', '.gitignore', 'dist\n'],
  ])('a folder %s is refused and stays as it is', async (_, name, text) => {
    const path = await place();
    await mkdir(path, { mode: 0o755 });
    await writeFile(join(path, name), text);
    const opening = openRunFolder(path);
    await expect(opening).rejects.toThrow(RunFolderError);
    await expect(opening).rejects.toThrow(
      `${path} has other files (${name}); expected a new folder, or the folder of an earlier run. Give another one.`,
    );
    expect(await readdir(path)).toEqual([name]);
    expect(await readFile(join(path, name), 'utf8')).toBe(text);
    expect(await modeOf(path)).toBe('755');
  });

  test('a file in its place is one clear error', async () => {
    const path = await place();
    await writeFile(path, 'x');
    await expect(openRunFolder(path)).rejects.toThrow(
      `${path} cannot be used as the run folder (a file has this name, EEXIST); expected a folder to write in. Give another one with --run.`,
    );
  });
});

describe('rejected.jsonl and skipped.jsonl', () => {
  const items = itemsOf([
    account('A-1'),
    account('A-2'),
    account('A-3', {}, { notes: [{ body: 'an  original\u2028' }] }),
  ]);

  test('each with its errors and the original line; only the owner may read them', async () => {
    const { at, lines, writeOutcome } = await openRunFolder(await place());
    const ledger = await ledgerOf([
      recordOf(items[0], { outcome: 'created' }),
      recordOf(items[1], { outcome: null }),
      recordOf(items[2], { outcome: 'rejected', errors: PHONE }),
    ]);
    lines.add(problemItem('-', 17, '{"acc', { problem: { code: 'invalid_json', attr: '', detail: '' } }), {
      as: 'rejected',
      code: 'invalid_json',
      attr: '',
    });
    lines.add(problemItem('-', 18, '{}', { problem: { code: 'invalid_json', attr: '', detail: '' } }), {
      as: 'skipped',
      code: 'duplicate_record',
      attr: '',
    });
    await storeLines(ledger, items);
    await writeOutcome(ledger);
    expect(await entriesOf(at('rejected.jsonl'))).toEqual([
      {
        source: 'input',
        line: 3,
        supplier: 'SANDBOX_SUPPLIER',
        kind: 'account',
        number: 'A-3',
        errors: [{ step: 'check', code: 'invalid_phone_number', attr: 'account.customers.0.landline' }],
        hash: items[2]?.hash,
        original:
          '{"account":{"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"A-3"},"notes":[{"body":"an  original\u2028"}]}',
      },
      {
        source: '-',
        line: 17,
        supplier: null,
        kind: null,
        number: null,
        errors: [{ step: 'read', code: 'invalid_json', attr: '' }],
        hash: createHash('sha256').update('{"acc').digest('hex'),
        original: '{"acc',
      },
    ]);
    expect(await entriesOf(at('skipped.jsonl'))).toMatchObject([
      { line: 18, errors: [{ code: 'duplicate_record' }], original: '{}' },
    ]);
    for (const name of ['rejected.jsonl', 'skipped.jsonl', 'unknown.jsonl', 'unfinished.jsonl', 'ok.csv']) {
      expect(await modeOf(at(name))).toBe('600');
    }
    expect((await readdir(at('.'))).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('accounts that wait for a business that failed are in skipped.jsonl, with why', async () => {
    const { at, writeOutcome } = await openRunFolder(await place());
    const waiting = recordOf(items[0], { contract: 'C-1' });
    const ledger = await ledgerOf([business('B-1', { outcome: 'rejected' }), waiting], { 'B-1': ['C-1'] });
    await storeLines(ledger, items);
    await writeOutcome(ledger);
    expect(await entriesOf(at('skipped.jsonl'))).toMatchObject([
      { number: 'A-1', errors: [{ step: 'check', code: 'business_failed' }], original: items[0]?.text },
    ]);
    // Its line is not in this input, and is counted all the same.
    expect(await entriesOf(at('rejected.jsonl'))).toMatchObject([{ number: 'B-1', kind: 'business', original: null }]);
  });

  test('a resumed run: corrected lines are removed, and lines of only an earlier input are kept', async () => {
    const path = await place();
    const first = await openRunFolder(path);
    const before = await ledgerOf(items.map((item) => recordOf(item, { outcome: 'rejected', errors: PHONE })));
    await storeLines(before, items);
    await first.writeOutcome(before);
    const [corrected] = itemsOf([account('A-1', { sales_channel: 'CORRECTED' })]);
    const second = await openRunFolder(path);
    const ledger = await ledgerOf(
      [
        recordOf(corrected, { outcome: 'created' }),
        recordOf(items[1], { outcome: 'rejected', errors: PHONE }),
        recordOf(items[2], { contract: 'C-1' }),
        business('B-1', { outcome: 'rejected', errors: [] }),
      ],
      { 'B-1': ['C-1'] },
    );
    await second.writeOutcome(ledger);
    expect(await entriesOf(second.at('rejected.jsonl'))).toMatchObject([
      { number: 'A-2', original: items[1]?.text },
      { number: 'B-1' },
    ]);
    expect(await entriesOf(second.at('skipped.jsonl'))).toMatchObject([{ number: 'A-3', original: items[2]?.text }]);
  });

  test('edited files cause no crash', async () => {
    const { at, writeOutcome } = await openRunFolder(await place());
    await writeFile(at('rejected.jsonl'), 'not JSON\n[]\nnull\n{"hash":5}\n');
    await writeOutcome(await ledgerOf([recordOf(items[1], { outcome: 'rejected', errors: PHONE })]));
    expect(await entriesOf(at('rejected.jsonl'))).toMatchObject([{ number: 'A-2', original: null }]);
  });

  test('a ledger that fails while they are written leaves the former files whole', async () => {
    const { at, path, writeOutcome } = await openRunFolder(await place());
    await writeFile(at('rejected.jsonl'), 'the former one');
    const ledger = await ledgerOf([recordOf(items[1], { outcome: 'rejected', errors: PHONE })]);
    ledger.line = () => Promise.reject(new Error('the disk is gone'));
    await expect(writeOutcome(ledger)).rejects.toThrow('the disk is gone');
    expect(await readFile(at('rejected.jsonl'), 'utf8')).toBe('the former one');
    expect((await readdir(path)).sort()).toEqual([
      '.gitignore',
      'audit.log',
      // Not written by a command.
      'edited-1-rejected.jsonl',
      'ok.csv',
      'rejected.jsonl',
      'unfinished.jsonl',
      'unknown.csv',
      'unknown.jsonl',
      'written.json',
    ]);
  });
});

const OK_HEADER =
  '\uFEFFexternal_number;service_number;kind;import_supplier;outcome;refused_later;moved_to_current_statement;confirmed_with_another_amount';

describe('what the service has', () => {
  test('ok.csv: both numbers, and later refusals', async () => {
    const { at, writeOutcome } = await openRunFolder(await place());
    const ledger = await ledgerOf([
      business('B-1', { outcome: 'created', serviceNumber: '77' }),
      record('A-1', {
        outcome: 'created',
        serviceNumber: 'P-1',
        items: items({
          transactions: ['moved sent CHARGE 1', 'sent CHARGE 2', 'sent CHARGE 12.5 = 12.51', 'moved sent CHARGE 1'],
        }),
      }),
      record('A-2', { outcome: 'rejected' }),
      record('A-3', { outcome: 'alreadyImported', serviceNumber: null }),
      record('A-4', {
        outcome: 'created',
        serviceNumber: 'P-4',
        errors: [
          { step: 'transactions', code: 'transaction_import_error', attr: 'transactions.3' },
          { step: 'notes', code: 'http_404', attr: '' },
        ],
      }),
    ]);
    await writeOutcome(ledger);
    expect(await readFile(at('ok.csv'), 'utf8')).toBe(
      [
        OK_HEADER,
        'B-1;77;business;SANDBOX_SUPPLIER;created;;;',
        'A-1;P-1;account;SANDBOX_SUPPLIER;created;;"transactions.0; transactions.3";"transactions.2 12.51 in place of 12.5"',
        'A-3;;account;SANDBOX_SUPPLIER;alreadyImported;;;',
        'A-4;P-4;account;SANDBOX_SUPPLIER;created;"transactions transaction_import_error transactions.3; notes http_404";;',
        '',
      ].join('\r\n'),
    );
  });

  test.each([
    ['=cmd|"/c calc"!A1', `"'=cmd|""/c calc""!A1"`],
    ['+33612345678', `"'+33612345678"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"\t'=1"`],
    ['\r=1', `"\r'=1"`],
    ['＝1', `"'＝1"`],
    ['0001', '0001'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
    [' a', '" a"'],
  ])('a number such as %j is a cell, and no formula', async (number, cell) => {
    const { at, writeOutcome } = await openRunFolder(await place());
    await writeOutcome(await ledgerOf([record(number, { outcome: 'created', serviceNumber: number })]));
    expect(await readFile(at('ok.csv'), 'utf8')).toBe(
      `${OK_HEADER}\r\n${cell};${cell};account;SANDBOX_SUPPLIER;created;;;\r\n`,
    );
  });

  test('unknown.jsonl: the steps, how to resolve each, and other refusals', async () => {
    const { at, writeOutcome } = await openRunFolder(await place());
    const errors = [{ step: 'notes', code: 'empty_note', attr: 'notes.0' }] as const;
    const ledger = await ledgerOf([
      record('A-1', { outcome: 'unknown', unknown: ['statements'], errors, serviceNumber: 'P-1', line: 4 }),
    ]);
    await writeOutcome(ledger);
    expect(await entriesOf(at('unknown.jsonl'))).toEqual([
      {
        supplier: 'SANDBOX_SUPPLIER',
        kind: 'account',
        number: 'A-1',
        serviceNumber: 'P-1',
        steps: ['statements'],
        items: [{ step: 'statements', positions: null }],
        howToResolve: [
          'Look at the historical statements of the account on the service, and say with data-import-sdk resolve whether they are there.',
        ],
        errors: [{ step: 'notes', code: 'empty_note', attr: 'notes.0' }],
        source: 'input.jsonl',
        line: 4,
      },
    ]);
  });

  test('unfinished.jsonl: records in progress, also without a line in the input; no waiting ones', async () => {
    const { at, writeOutcome } = await openRunFolder(await place());
    const records = [
      record('A-1', { done: 'stage', intent: 'process', line: 4 }),
      record('A-2', { done: 'check', line: 5 }),
      business('B-1', { outcome: 'rejected' }),
      record('A-3', { contract: 'C-1' }),
      record('A-4', { outcome: 'created' }),
    ];
    await writeOutcome(await ledgerOf(records, { 'B-1': ['C-1'] }));
    const ofAll = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', serviceNumber: null, errors: [] };
    expect(await entriesOf(at('unfinished.jsonl'))).toEqual([
      {
        ...ofAll,
        number: 'A-1',
        done: 'stage',
        intent: 'process',
        howToContinue:
          'Run the same command again, or data-import-sdk resolve: either asks the service whether it has the account. The run needs its line in the input for that.',
        source: 'input.jsonl',
        line: 4,
      },
      {
        ...ofAll,
        number: 'A-2',
        done: 'check',
        intent: null,
        howToContinue: 'Run the same command again. The run needs its line in the input for that.',
        source: 'input.jsonl',
        line: 5,
      },
    ]);
  });
});

describe('audit.log', () => {
  const at = '2026-01-15T09:00:00.000Z';

  test('one line per entry, in order, for any text', async () => {
    const folder = await openRunFolder(await place());
    await Promise.all([
      folder.audit.append({ at, by: 'operator', what: 'pause' }),
      folder.audit.append({ at, by: 'run', what: 'halted:\nrun resume\u001b[2J' }),
      folder.audit.append({ at, by: 'operator', what: 'reason \u202Etxt.exe\u2069 a\u2028b\u061C\u200F\u0085c' }),
    ]);
    expect(await readFile(folder.at('audit.log'), 'utf8')).toBe(
      [
        `${at} operator pause`,
        String.raw`${at} run halted:\u000arun resume\u001b[2J`,
        String.raw`${at} operator reason \u202etxt.exe\u2069 a\u2028b\u061c\u200f\u0085c`,
        '',
      ].join('\n'),
    );
    expect(await modeOf(folder.at('audit.log'))).toBe('600');
  });

  test('a line that a crash cut off does not swallow the next one', async () => {
    const folder = await openRunFolder(await place());
    await writeFile(folder.at('audit.log'), `${at} operator pause\n2026-01-15T09:0`);
    await folder.audit.append({ at, by: 'operator', what: 'resume' });
    expect(await folder.audit.entries()).toEqual([
      { at, by: 'operator', what: 'pause' },
      { at, by: 'operator', what: 'resume' },
    ]);
  });
});

test('run.json, report.json and report.html are there whole, for this user only', async () => {
  const folder = await openRunFolder(await place());
  const report = richReport();
  await folder.writeRun(report.run);
  await folder.writeReport(report);
  expect(JSON.parse(await readFile(folder.at('run.json'), 'utf8'))).toMatchObject({
    startedAt: '2026-01-15T20:00:00.000Z',
    endedAt: '2026-01-15T22:00:00.000Z',
    state: 'stopped',
    continueWith: 'data-import-sdk run input/ --team MIGRATION_TEAM --out run-2026-01-15',
    configuration: { window: 'Mon-Fri 20:00-06:00' },
  });
  expect(JSON.parse(await readFile(folder.at('report.json'), 'utf8'))).toMatchObject({
    summary: { input: 1_000_000, balance: { isBalanced: true } },
    verification: { compared: 853_514 },
  });
  expect(await readFile(folder.at('report.html'), 'utf8')).toMatch(/^<!doctype html>\n.*<\/html>\n$/s);
  for (const name of ['run.json', 'report.json', 'report.html']) expect(await modeOf(folder.at(name))).toBe('600');
});
