/** A run reads its input once: its ledger has the lines until their records have ended. */
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import {
  inputFromRecords,
  type Migration,
  type MigrationOptions,
  openInput,
  runMigration,
  startMigration,
} from '../../../src/migration/index.js';
import type { Input } from '../../../src/migration/input/source.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { openRunFolder } from '../../../src/migration/report/folder/run-folder.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { newFolder } from '../../helpers/folder.js';
import { countAsOriginal } from '../../support/change-ledger.js';
import { account } from '../rehearsal.js';

const TEAM = { team: 'SANDBOX_TEAM', dryRun: 'none' } as const;

let folder: string;
let sandbox: ReturnType<typeof createSandbox>;
let client: DataImportClient;
beforeEach(() => {
  folder = newFolder('load-');
  sandbox = createSandbox();
  client = new DataImportClient({ baseUrl: 'http://localhost:1', token: sandbox.token, fetch: sandbox.fetch });
});

const write = (...records: object[]) => {
  const path = join(folder, 'input.jsonl');
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return path;
};

/** Counts the lines that a session reads. */
function counted(input: Input) {
  const counter = { lines: 0 };
  async function* lines() {
    for await (const item of input) {
      counter.lines++;
      yield item;
    }
  }
  return { counter, input: { ...input, [Symbol.asyncIterator]: lines } };
}

async function session(path: string, { encoding, ...options }: Partial<MigrationOptions> & { encoding?: string } = {}) {
  const { counter, input } = counted(await openInput([path], { encoding }));
  const { summary, state } = await runMigration({
    client,
    input,
    folder: join(folder, 'run'),
    ...TEAM,
    ...options,
  });
  const { created, rejected, skipped, unfinished, balance } = summary;
  return { state, created, rejected, skipped, unfinished, isBalanced: balance.isBalanced, read: counter.lines };
}

/** The bytes of the ledger. */
const stored = () =>
  readdirSync(join(folder, 'run'))
    .filter((name) => name.startsWith('ledger.sqlite'))
    .map((name) => readFileSync(join(folder, 'run', name), 'latin1'))
    .join('');

const accounts = (count: number) => Array.from({ length: count }, (_, index) => account(`A-${index + 1}`));
const processed = () => sandbox.requests().filter(({ path }) => path.endsWith('/process/')).length;

const business = {
  business: {
    import_supplier_code: 'SANDBOX_SUPPLIER',
    external_business_identifier: 'B-1',
    business: { business_contracts: [{ identifier: 'C-1' }] },
  },
};
const ofBusiness = account('A-1', { account_type: 'BUSINESS', business: { business_contract_identifier: 'C-1' } });

test('a business may stand after its accounts, also in an input that can be read only once', async () => {
  const { summary } = await runMigration({
    ...{ client, folder: join(folder, 'run'), ...TEAM },
    input: inputFromRecords([ofBusiness, account('A-2'), business].values()),
  });
  expect(summary).toMatchObject({ created: 3, unfinished: 0 });
});

describe('after a session that was stopped while it worked', () => {
  const stopped = async (path: string) => {
    const input = await openInput([path]);
    const run: Migration = await startMigration({
      ...{ client, input, folder: join(folder, 'run'), ...TEAM, throttle: { concurrency: 1 } },
      onEvent: (_, event) => event.type === 'ended' && run.throttle.drain(),
    });
    const { state, summary } = await run.finished;
    expect(state).toBe('stopped');
    expect(summary.created).toBeLessThan(16);
  };

  test('an unchanged file is not read again: the lines of the other records are in the ledger', async () => {
    const path = write(...accounts(16));
    await stopped(path);
    // One line, before the session begins: whether the file has a record, of a supplier of the run.
    const all = { state: 'finished', created: 16, rejected: 0, skipped: 0, unfinished: 0, isBalanced: true };
    expect(await session(path)).toEqual({ ...all, read: 2 });
    expect(processed()).toBe(16);
    expect(await session(path)).toEqual({ ...all, read: 2 });
    expect(processed()).toBe(16);
  });

  test('a file that was written again is read: lines that it no longer has are not sent', async () => {
    await stopped(write(...accounts(16)));
    const created = processed();
    const kept = accounts(16).slice(0, 8);
    const { state, read } = await session(write(...kept, account('A-17')));
    expect(read).toBeGreaterThan(8);
    expect([state, processed()]).toEqual(['finished', Math.max(created, 8) + 1]);
    expect(stored()).not.toContain('"external_account_number":"A-16"');
  });

  describe('a file with lines that are no records', () => {
    const expected = { state: 'finished', created: 16, rejected: 1, skipped: 2, unfinished: 0, isBalanced: true };
    const filled = () =>
      write(...accounts(16), account('A-1'), account('A-2', { sales_channel: 'X' }), { account: { note: 'é' } });
    const files = () =>
      Object.fromEntries(
        ['rejected.jsonl', 'skipped.jsonl', 'rejected.csv', 'changed.jsonl'].map((name) => [
          name,
          readFileSync(join(folder, 'run', name), 'utf8'),
        ]),
      );
    const reportedBy = async (path: string) => {
      const reported: unknown[] = [];
      const onLine: MigrationOptions['onLine'] = ({ source, line }, { as, code, key, taken }) =>
        void reported.push({ source, line, as, code, key, taken });
      return { ...(await session(path, { onLine })), reported };
    };

    test('is not read again, and these are reported as before', async () => {
      const path = filled();
      await stopped(path);
      const [before, second] = [files(), await reportedBy(path)];
      expect(second).toMatchObject({ ...expected, read: 2 });
      expect(files()).toEqual(before);
      // After a finished run no text of such a line is kept, but in the result files.
      const third = await reportedBy(path);
      expect(third).toMatchObject(expected);
      expect(third.read).toBeGreaterThan(16);
      expect(second.reported).toEqual(third.reported);
      expect(second.reported).toHaveLength(3);
      expect(files()).toEqual(before);
    });

    test.each([
      ['is gone', () => rmSync(join(folder, 'run', 'lines-of-input.part'))],
      [
        'was cut',
        () => {
          const kept = join(folder, 'run', 'lines-of-input.part');
          writeFileSync(kept, readFileSync(kept, 'utf8').split('\n').slice(0, 1).join('\n'));
        },
      ],
    ])('is read again if the file with them %s', async (_, change) => {
      const path = filled();
      await stopped(path);
      const before = files();
      change();
      const second = await session(path);
      expect(second).toMatchObject(expected);
      expect(second.read).toBeGreaterThan(16);
      expect(files()).toEqual(before);
    });

    test('is read again if a record was forgotten', async () => {
      const path = filled();
      await stopped(path);
      await (await openRunFolder(join(folder, 'run'))).dropForgotten(createMemoryLedger());
      expect((await session(path)).read).toBeGreaterThan(16);
    });
  });

  test('a file that is read with another encoding is read again', async () => {
    const path = write(...accounts(16));
    await stopped(path);
    const { state, created, read } = await session(path, { encoding: 'windows-1252' });
    expect([state, created]).toEqual(['finished', 16]);
    expect(read).toBeGreaterThan(16);
  });

  test('the beginning of the file, or another file, leaves the lines of the rest', async () => {
    const path = write(...accounts(16));
    await stopped(path);
    await session(path, { canary: 2 });
    expect(await session(path)).toMatchObject({ state: 'finished', created: 16 });
    expect(processed()).toBe(16);
  });
});

test('a record whose line is gone is noticed beside a record with two lines', async () => {
  await session(write(account('A-1'), account('A-2')));
  const { summary } = await runMigration({
    ...{ client, folder: join(folder, 'run'), ...TEAM },
    input: await openInput([write(account('A-1'), account('A-1', { sales_channel: 'X' }))]),
  });
  expect(summary).toMatchObject({ created: 1, skipped: 1, removed: { count: 1 } });
});

test('a record whose line is gone is noticed although the session that read the file was killed', async () => {
  await session(write(account('A-1'), account('A-2')));
  const path = write(account('A-1'), account('A-3'), { account: { note: 'x' } });
  const killed = join(folder, 'killed');
  await session(path, { onEvent: () => cpSync(join(folder, 'run'), killed, { recursive: true, force: true }) });
  await countAsOriginal(killed);
  const { summary } = await runMigration({ client, input: await openInput([path]), folder: killed, ...TEAM });
  expect(summary).toMatchObject({ created: 2, rejected: 1, removed: { count: 1 } });
});

describe('the facts about the input', () => {
  const facts = (of: string) => {
    const { files, accounts, warnings, profile } = JSON.parse(readFileSync(join(of, 'input.json'), 'utf8'));
    return {
      files,
      accounts,
      named: profile.fields.find(({ path }: { path: string }) => path === 'account.external_account_number')?.filled,
      warnings,
      profile,
    };
  };
  /** The folder of a session that was killed at its first event. */
  async function killedSession(path: string, run = 'run') {
    const killed = join(folder, 'killed');
    rmSync(killed, { recursive: true, force: true });
    let isKilled = false;
    await session(path, {
      folder: join(folder, run),
      onEvent() {
        if (!isKilled) cpSync(join(folder, run), killed, { recursive: true });
        isKilled = true;
      },
    });
    await countAsOriginal(killed);
    return killed;
  }
  const continued = async (path: string, killed: string) => {
    await runMigration({ client, input: await openInput([path]), folder: killed, ...TEAM });
  };

  test('are stored before anything is sent, and a session that need not read the file again keeps them', async () => {
    const path = write(account('A-1'), account('A-2'), account('A-3'));
    const { size } = statSync(path);
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    const whole = { accounts: 3, named: 3, files: [{ source: path, bytes: size, sha256 }] };
    const killed = await killedSession(path);
    expect(facts(killed)).toMatchObject(whole);
    const { profile } = facts(killed);
    await continued(path, killed);
    expect(facts(killed)).toMatchObject({ ...whole, profile });
    expect(facts(join(folder, 'run'))).toMatchObject({ ...whole, profile });
  });

  test('count each record once, also if a file is read again with further records after a kill', {
    tags: 'long',
  }, async () => {
    await session(write(account('A-1')));
    // More than are in progress at once.
    const points = { supply_addresses: [{ supply_points: [{ identifier: '1', supply_type: 'GAS' }] }] };
    const many = [...accounts(300), account('A-301', points), account('A-302', points)];
    const shared = [{ code: 'supply_point_of_other_record', count: 2 }];
    const killed = await killedSession(write(...many));
    expect(facts(killed)).toMatchObject({ accounts: 302, warnings: shared });
    await continued(write(...many, account('A-303')), killed);
    expect(facts(killed)).toMatchObject({ accounts: 303, named: 303, warnings: shared });
  });

  test('are those of the last reading while no record has begun', async () => {
    const run = { client, folder: join(folder, 'run'), ...TEAM };
    const opened = await openInput([write(account('A-1'), account('A-2'))]);
    let start = (_: Migration) => {};
    const started = new Promise<Migration>((resolve) => {
      start = resolve;
    });
    async function* lines() {
      yield* opened;
      (await started).throttle.drain();
    }
    const begun = await startMigration({ ...run, input: { ...opened, [Symbol.asyncIterator]: lines } });
    start(begun);
    expect((await begun.finished).summary.created).toBe(0);
    expect(facts(run.folder).accounts).toBe(2);
    await session(write(account('A-1'), account('A-3')));
    expect(facts(run.folder).accounts).toBe(2);
  });
});

test('a refused record is sent again on request, without its file being read', async () => {
  const path = write(account('A-1', { customers: [{ landline: 'x' }] }), account('A-2'));
  expect(await session(path)).toMatchObject({ created: 1, rejected: 1 });
  expect(await session(path, { retryRejected: true })).toMatchObject({ created: 1, rejected: 1, read: 2 });
});

test('so is one whose line was given to retry unchanged before', async () => {
  const path = write(account('A-1', { customers: [{ landline: 'x' }] }), account('A-2'));
  await session(path);
  await session(join(folder, 'run/rejected.jsonl'), { retry: true });
  const tried: string[] = [];
  await session(path, { retryRejected: true, onEvent: ({ number }) => void tried.push(number) });
  expect(tried).toContain('A-1');
});

test('the ledger has the text of a record until it has ended; that of a refused record until it is corrected', async () => {
  const named = (number: string, name: string, landline = '') =>
    account(number, { customers: [{ given_name: name, landline }] });
  const path = write(named('A-1', 'Marker-One'), named('A-2', 'Marker-Two', 'x'));
  await session(path);
  expect([stored().includes('Marker-One'), stored().includes('Marker-Two')]).toEqual([false, true]);
  await session(write(named('A-1', 'Marker-One'), named('A-2', 'Marker-Two')));
  expect([stored().includes('Marker-One'), stored().includes('Marker-Two')]).toEqual([false, false]);
  // A changed line is not sent, however often it is read.
  for (let time = 0; time < 2; time++) {
    await session(write(named('A-1', 'Marker-Three'), named('A-2', 'Marker-Two')));
    expect(stored()).not.toContain('Marker-Three');
  }
});
