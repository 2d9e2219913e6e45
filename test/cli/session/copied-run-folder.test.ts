/** Two copies of a run folder: what one has sent, the other does not know, so that both would send it. docs/run-folder.md "Move or restore". */
import {
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { CopiedLedgerError, openInput, RunTargetError, runMigration } from '../../../src/migration/index.js';
import type { FaultRule, Sandbox } from '../../../src/sandbox/index.js';
import { changeLedger } from '../../support/change-ledger.js';
import { account, line, openFolder, openService, run, runIn } from '../typed.js';

const { at } = openFolder();

const STATEMENT = {
  ...{ statement_id: 'S-1', number: 'F-1', gross_amount: 100, issued_date: '2025-12-02' },
  ...{ bill_period_from_date: '2025-11-01', bill_period_to_date: '2025-11-30' },
};

const EXPIRED = { phase: 'before', effect: { status: 401 } } as const;

let sandbox: Sandbox;
let folder: string;
let copy: string;
let input: string;
let folders = 0;

/** Gives the input these numbers of accounts, each with a statement. */
const write = (...numbers: string[]) =>
  writeFileSync(input, numbers.map((number) => line({ ...account(number), statements: [STATEMENT] })).join(''));

/** A run that has created account A-1, and whose input has a second one since. */
beforeEach(async () => {
  sandbox = await openService();
  folder = at(`run-${++folders}`);
  copy = `${folder}-copy`;
  input = `${folder}.jsonl`;
  write('A-1');
  expect(await go()).toEqual({ code: 0, out: expect.any(String), err: '' });
  write('A-1', 'A-2');
});

const go = (to = folder, ...flags: string[]) => run('run', input, '--run', to, ...flags);
/** The accounts of the statements that the service was sent. */
const sent = () =>
  sandbox
    .requests()
    .filter(({ operation }) => operation === 'historicalStatements.create')
    .map((request) => request.account);
/** Names the machine of the last session. */
const setHost = (to: string, host: string) =>
  changeLedger(to, `update fact set value = json_set(value, '$.host', '${host}') where name = 'last session'`);
const copyTo = (to: string) => cpSync(folder, to, { recursive: true });

/** What is said about a ledger that was copied or restored. */
const asked = ({ host = hostname(), path = join(realpathSync(at('')), `run-${folders}`), later = '' } = {}) =>
  expect.stringMatching(
    new RegExp(
      `^The ledger was copied or restored since its last session, of \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z on ${host} as ${path}/ledger\\.sqlite\\.` +
        `${later} It does not know the requests that another copy has sent since: statements and payment instructions would be sent twice\\. ` +
        'Continue only if no other copy was continued; data-import-sdk verify compares the ledger with the service\\.\n',
    ),
  );

const LATER = ' A later session worked in this folder, and the ledger does not know it\\.';
/** What an operator did, according to the audit log. */
const decided = () => readFileSync(join(folder, 'audit.log'), 'utf8').match(/operator .*/g);

describe('a copy whose original is in its place', () => {
  test('is refused, and the original continues', async () => {
    copyTo(copy);
    expect(await go(copy, '--yes')).toEqual({
      code: 2,
      out: '',
      err:
        `data-import-sdk: ledger: ${copy}/ledger.sqlite is a copy of ${realpathSync(folder)}/ledger.sqlite, which still exists. Neither of them knows ` +
        'the requests of the other: statements and payment instructions would be sent twice. Nothing was sent. ' +
        `Continue in ${realpathSync(folder)}. If only the copy is to be continued, rename or delete ${realpathSync(folder)}/ledger.sqlite, and repeat the command.\n`,
    });
    expect(await go()).toMatchObject({ code: 0, err: '' });
    expect(await go(copy)).toMatchObject({ code: 2 });
    expect(sent()).toEqual(['A-1', 'A-2']);
  });

  test('is refused to retry as well', async () => {
    copyTo(copy);
    expect(await run('retry', input, '--run', copy)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`is a copy of`),
    });
  });

  test('is refused by another name of the machine, as in a container', async () => {
    copyTo(copy);
    await setHost(copy, 'other');
    expect(await go(copy)).toMatchObject({ code: 2 });
  });

  test('continues after the original was renamed, if the user agrees', async () => {
    copyTo(copy);
    renameSync(join(folder, 'ledger.sqlite'), join(folder, 'ledger.old'));
    expect(await go(copy)).toMatchObject({ code: 7, err: asked() });
    expect(await go(copy, '--yes')).toMatchObject({ code: 0, err: asked() });
    expect(await go(copy)).toMatchObject({ code: 0, err: '' });
    expect(sent()).toEqual(['A-1', 'A-2']);
  });
});

describe('nothing is asked', () => {
  test('after a rename or a move in the same file system', async () => {
    renameSync(folder, copy);
    expect(await go(copy)).toMatchObject({ code: 0, err: '' });
    expect(sent()).toEqual(['A-1', 'A-2']);
  });

  test('on a machine with another name and the same disk', async () => {
    await setHost(folder, 'other');
    expect(await go()).toMatchObject({ code: 0, err: '' });
  });

  test('after the end of a session at any moment, and while other commands use the folder', async () => {
    for (const command of ['status', 'report', 'resolve']) await run(command, '--run', folder);
    // A process that was killed before it left its mark.
    rmSync(join(folder, 'ledger.sqlite.session-1'));
    expect(await go()).toMatchObject({ code: 0, err: '' });
    writeFileSync(join(folder, 'ledger.sqlite.session-1'), '');
    expect(await go()).toMatchObject({ code: 0, err: '' });
  });

  test('for a ledger of an earlier version', async () => {
    await changeLedger(folder, "delete from fact where name = 'last session'");
    expect(await go()).toMatchObject({ code: 0, err: '' });
  });

  test('in the copy of a rehearsal, which has its own sandbox', async () => {
    expect(await go(copy, '--sandbox')).toMatchObject({ code: 0 });
    cpSync(copy, `${copy}-2`, { recursive: true });
    write('A-1', 'A-2', 'A-3');
    for (const one of [copy, `${copy}-2`]) expect(await go(one, '--sandbox')).toMatchObject({ code: 0, err: '' });
  });
});

/** Each way leaves in the folder what the run had before the session that sent would be sent twice. */
describe.each<[string, () => void, string]>([
  [
    'the folder is deleted, and restored from a backup',
    () => {
      rmSync(folder, { recursive: true });
      cpSync(copy, folder, { recursive: true });
    },
    '',
  ],
  ['a backup of the folder is copied over it', () => cpSync(copy, folder, { recursive: true, force: true }), LATER],
  [
    'a backup of the ledger is copied over it',
    () => copyFileSync(join(copy, 'ledger.sqlite'), join(folder, 'ledger.sqlite')),
    LATER,
  ],
  [
    'the ledger is deleted, and restored from a backup',
    () => {
      rmSync(join(folder, 'ledger.sqlite'));
      copyFileSync(join(copy, 'ledger.sqlite'), join(folder, 'ledger.sqlite'));
    },
    LATER,
  ],
])('%s', (_, restore, later) => {
  beforeEach(async () => {
    copyTo(copy);
    expect(await go()).toMatchObject({ code: 0, err: '' });
    restore();
  });

  test('without a terminal the run stops before anything is sent', async () => {
    const before = sandbox.requests().length;
    const { code, err } = await go();
    expect([code, err]).toEqual([7, asked({ later })]);
    expect(err).toContain(`\nNothing was sent. To continue: data-import-sdk run ${input} --run ${folder} --yes\n`);
    expect(sandbox.requests()).toHaveLength(before);
    // Nothing is stored either: the next command is asked again.
    expect(await go()).toMatchObject({ code: 7 });
  });

  test('at a terminal it asks, and continues only after "yes"', async () => {
    const questions: [question: string, before: string | undefined][] = [];
    const answering = (answer: string) => ({
      ask: async (question: string, { before }: { before?: string } = {}) => {
        questions.push([question, before]);
        return answer;
      },
    });
    expect(await runIn(answering('n'), 'run', input, '--run', folder)).toMatchObject({
      code: 7,
      err: asked({ later }),
    });
    expect(questions).toEqual([['Continue with this ledger? [y/N] ', asked({ later })]]);
    expect(decided()).toBeNull();
    expect(await runIn(answering('y'), 'run', input, '--run', folder)).toMatchObject({ err: asked({ later }) });
    expect(decided()).toEqual([
      expect.stringMatching(
        /^operator continued a ledger that was copied or restored since its session of \S+ on \S+ as \S+\/ledger\.sqlite$/,
      ),
    ]);
    expect(await runIn(answering('y'), 'run', input, '--run', folder)).toMatchObject({ err: '' });
    expect(questions).toHaveLength(2);
  });

  test('--yes answers, and the text is printed', async () => {
    expect(await go(folder, '--yes')).toMatchObject({ err: asked({ later }) });
    // Its number is higher than that of the session that the ledger does not know, so that a further copy of that one is noticed.
    const marks = readdirSync(folder).filter((name) => name.startsWith('ledger.sqlite.session-'));
    expect(marks).toEqual([`ledger.sqlite.session-${later === '' ? 2 : 3}`]);
    expect(await go()).toMatchObject({ err: '' });
  });
});

describe('a backup of a session that had not sent all statements', () => {
  const RISK =
    'According to the ledger, statements or payment instructions of 1 record that exists are still to be sent. Continue only if';
  /** The first request of A-2 is the refused one. */
  const BEFORE = ['A-1', 'A-2', 'A-2'];
  const accept = (...flags: string[]) => run('resolve', '--accept', 'copy', '--run', folder, ...flags);

  /** Account A-2 is created, and its statement is refused because the token has expired: exit code 8. */
  beforeEach(async () => {
    sandbox.faults.add({ match: { operation: 'historicalStatements.create' }, ...EXPIRED });
    expect(await go()).toMatchObject({ code: 8 });
    sandbox.faults.clear();
    copyTo(copy);
    expect(await go()).toMatchObject({ code: 0 });
    rmSync(folder, { recursive: true });
    cpSync(copy, folder, { recursive: true });
  });

  test('is not continued by --yes, which an old command may have: a person accepts it once', async () => {
    const { code, err } = await go(folder, '--yes');
    expect([code, err]).toEqual([7, expect.stringContaining(RISK)]);
    expect(err).toContain(
      `\nNothing was sent. If no other copy was continued, repeat the command after: data-import-sdk resolve --accept copy --run ${folder}\n`,
    );
    expect(sent()).toEqual(BEFORE);
    expect(await accept('--account', 'A-2')).toMatchObject({ code: 2, err: expect.stringContaining('none with copy') });
    expect(await accept()).toMatchObject({ code: 0, out: expect.stringContaining('Accepted the ledger') });
    expect(decided()).toEqual(['operator Accepted the ledger that was copied or restored']);
    expect(await go(folder, '--yes')).toMatchObject({ code: 0, err: '' });
    expect(await accept()).toMatchObject({ code: 2, err: expect.stringContaining('there is no copy to accept') });
  });

  test('is asked about at a terminal also with --yes', async () => {
    const ask = vi.fn(async () => 'n');
    expect(await runIn({ ask }, 'run', input, '--run', folder, '--yes')).toMatchObject({ code: 7 });
    expect(ask).toHaveBeenCalledTimes(1);
    expect(sent()).toEqual(BEFORE);
  });
});

test.each<[what: string, faults: FaultRule[], code: number]>([
  ['had not sent a payment instruction', [{ match: { operation: 'paymentInstructions.create' }, ...EXPIRED }], 7],
  [
    'had no answer to its process request',
    [
      { match: { operation: 'accounts.process' }, phase: 'afterCommit', when: 'first', effect: 'drop' },
      { match: { operation: 'imports.status' }, ...EXPIRED },
    ],
    7,
  ],
  ['had not processed the account', [{ match: { operation: 'accounts.process' }, ...EXPIRED }], 3],
])('a backup of a session that %s, with --yes', async (_, faults, code) => {
  // The line of A-1 differs from its record: 3 if the session begins.
  const instruction = { type: 'CARD', vendor: 'V', reference: 'R-1' };
  writeFileSync(
    input,
    ['A-1', 'A-2'].map((number) => line({ ...account(number), payment_instruction: instruction })).join(''),
  );
  for (const fault of faults) sandbox.faults.add(fault);
  expect(await go(folder, '--canary', '0')).toMatchObject({ code: 8 });
  sandbox.faults.clear();
  copyTo(copy);
  rmSync(folder, { recursive: true });
  expect(await go(copy, '--yes')).toMatchObject({ code });
});

/** ext4 gives the inode of a deleted file to the next one. */
test.each([
  ['another file with the inode of the deleted ledger is asked about', '1', 7],
  ['a file system that does not store when a file was created tells nothing else', '', 0],
])('%s', async (_, born, code) => {
  await changeLedger(
    folder,
    `update fact set value = json_set(value, '$.born', '${born}') where name = 'last session'`,
  );
  expect(await go()).toMatchObject({ code });
});

test('on another machine the question names the machine of the last session', async () => {
  await go();
  copyTo(copy);
  await setHost(copy, 'one');
  rmSync(folder, { recursive: true });
  expect(await go(copy)).toMatchObject({ code: 7, err: asked({ host: 'one' }) });
});

describe('without the command line', () => {
  const migrate = async (to: string, onCopied?: () => boolean) =>
    runMigration({
      client: new DataImportClient({
        baseUrl: process.env['DATA_IMPORT_BASE_URL'] ?? '',
        token: sandbox.token,
      }),
      ...{ folder: to, team: 'SANDBOX_TEAM', onCopied },
      input: await openInput([input]),
    });

  test('a copy is refused, and a restored ledger unless onCopied returns true', async () => {
    copyTo(copy);
    await expect(migrate(copy, () => true)).rejects.toThrow(RunTargetError);
    rmSync(folder, { recursive: true });
    await expect(migrate(copy)).rejects.toThrow(CopiedLedgerError);
    await expect(migrate(copy, () => false)).rejects.toThrow(
      /^The ledger was copied or restored .* Nothing was sent\. To continue nevertheless, give onCopied and return true\.$/,
    );
    const onCopied = vi.fn(() => true);
    await migrate(copy, onCopied);
    expect(onCopied.mock.calls).toEqual([
      [
        {
          path: join(realpathSync(at('')), `run-${folders}`, 'ledger.sqlite'),
          host: hostname(),
          at: expect.any(String),
          ...{ isOlder: false, unsent: 0 },
        },
      ],
    ]);
    expect(sent()).toEqual(['A-1', 'A-2']);
  });
});
