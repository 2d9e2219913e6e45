/** The target of a run in code: what counts as the same one, and which ledgers are refused. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import {
  createMemoryLedger,
  inputFromRecords,
  type Ledger,
  type MigrationOptions,
  RunTargetError,
  runMigration,
  startMigration,
} from '../../../src/migration/index.js';
import { openSqliteLedger } from '../../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { createAuditLog } from '../../../src/migration/report/folder/audit-log.js';
import { claimTarget, storedTarget, targetName, targetOf } from '../../../src/migration/run/expect-target.js';
import { expectSharedSupplier, knownSuppliers } from '../../../src/migration/run/known-suppliers.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { newFolder } from '../../helpers/folder.js';
import { record } from '../ledger/records.js';
import { account } from '../rehearsal.js';

/** A sandbox with a client for each address, and a run folder that is gone with the test. */
function scene() {
  const parent = newFolder('target-');
  const sandbox = createSandbox({ suppliers: [{ code: 'SANDBOX_SUPPLIER' }, { code: 'NORTH' }] });
  const folder = join(parent, 'run');
  const into = (baseUrl: string, more: Partial<MigrationOptions> = {}): MigrationOptions => ({
    client: new DataImportClient({ baseUrl, token: sandbox.token, fetch: sandbox.fetch }),
    input: inputFromRecords([account('A-1')]),
    team: 'SANDBOX_TEAM',
    folder,
    ...more,
  });
  return { sandbox, folder, into };
}

describe('a target', () => {
  test.each([
    ['sandbox', 'sandbox', 'Rehearsal (sandbox)'],
    ['https://api.example.com', 'https://api.example.com', 'api.example.com'],
    ['HTTPS://API.Example.com/', 'https://api.example.com', 'api.example.com'],
    ['https://api.example.com:443', 'https://api.example.com', 'api.example.com'],
    ['https://api.example.com:8443/eu/', 'https://api.example.com:8443/eu', 'api.example.com:8443/eu'],
    ['https://importer:secret@api.example.com/eu?token=secret#top', 'https://api.example.com/eu', 'api.example.com/eu'],
    ['http://127.0.0.1:4010//', 'http://127.0.0.1:4010', '127.0.0.1:4010'],
    ['http://[::1]:80/', 'http://[::1]', '[::1]'],
  ])('%s is stored as %s, and named %s', (address, target, name) => {
    expect(targetOf(address)).toBe(target);
    expect(targetName(target)).toBe(name);
  });

  test.each([['Sandbox'], ['api.example.com'], ['postgres://db.example.com/import'], ['']])('%j is none', (address) => {
    expect(() => targetOf(address)).toThrow(
      'target: expected the word sandbox or the address of a service, such as https://api.example.com.',
    );
  });

  test.each([
    ['https://api.example.com/eu/', 'https://api.example.com/eu'],
    ['https://api.example.com:443', 'https://api.example.com'],
    ['http://localhost:4010/', 'http://localhost:4010'],
  ])('a client for %s knows it as %s', (baseUrl, known) => {
    expect(new DataImportClient({ baseUrl, token: 'test-token' }).baseUrl).toBe(known);
  });
});

describe('runMigration', () => {
  test('takes the target from the client, stores it, and refuses another one before any request', async () => {
    const { sandbox, folder, into } = scene();
    await runMigration(into('https://eu.example.com'));
    const asked = sandbox.requests().length;
    const refused = runMigration(into('https://us.example.com'));
    await expect(refused).rejects.toBeInstanceOf(RunTargetError);
    await expect(refused).rejects.toThrow(
      `target: the run in ${folder} belongs to https://eu.example.com, and this command is for https://us.example.com.`,
    );
    expect(sandbox.requests()).toHaveLength(asked);
    // The folder is as it was, and its ledger is free again.
    expect(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')).state).toBe('finished');
    expect((await runMigration(into('https://eu.example.com/'))).state).toBe('finished');
  });

  test('uses the word sandbox for a rehearsal on any port', async () => {
    const { into } = scene();
    await runMigration(into('http://127.0.0.1:4010', { target: 'sandbox' }));
    expect((await runMigration(into('http://127.0.0.1:4011', { target: 'sandbox' }))).state).toBe('finished');
    await expect(runMigration(into('http://127.0.0.1:4010'))).rejects.toThrow('belongs to the sandbox (a rehearsal)');
  });

  test('continues with a service that has moved, with the option for it', async () => {
    const { folder, into } = scene();
    await runMigration(into('https://old.example.com'));
    const now = () => new Date('2026-01-15T09:00:00Z');
    const retarget = 'https://old.example.com';
    await runMigration(into('https://new.example.com', { retarget, now }));
    expect(readFileSync(join(folder, 'audit.log'), 'utf8')).toContain(
      '2026-01-15T09:00:00.000Z operator retarget: from https://old.example.com to https://new.example.com\n',
    );
    await expect(runMigration(into('https://old.example.com'))).rejects.toThrow('belongs to https://new.example.com');
  });

  test('asks a service that has moved for five accounts at most, and begins if it knows one of them', async () => {
    const { sandbox, folder, into } = scene();
    const ledger = createMemoryLedger();
    await ledger.setFact('target', 'https://old.example.com');
    const numbers = ['A-1', 'A-2', 'A-3', 'A-4', 'A-5', 'A-6'];
    for (const number of numbers) {
      await ledger.write(record(number, { supplier: 'SANDBOX_SUPPLIER', outcome: 'created' }));
    }
    const toNew = () => runMigration(into('https://new.example.com', { ledger, retarget: 'https://old.example.com' }));
    await expect(toNew()).rejects.toThrow(
      `target: https://new.example.com knows none of 5 accounts that the run in ${folder} has at https://old.example.com.`,
    );
    expect(sandbox.requests().map(({ operation }) => operation)).toEqual(Array(5).fill('imports.status'));
    expect(await ledger.fact('target')).toBe('https://old.example.com');
    const other = runMigration(
      into('https://new.example.com', { input: inputFromRecords([account('A-3')]), folder: `${folder}-2` }),
    );
    expect((await other).state).toBe('finished');
    await toNew();
    expect(await ledger.fact('target')).toBe('https://new.example.com');
  });

  test('refuses an input that shares no import supplier with the ledger, and stores the ones that it has seen', async () => {
    const { sandbox, folder, into } = scene();
    const north = account('N-1', { import_supplier: 'NORTH' });
    await runMigration(into('https://api.example.com'));
    const asked = sandbox.requests().length;
    await expect(startMigration(into('https://api.example.com', { input: inputFromRecords([north]) }))).rejects.toThrow(
      `target: the run in ${folder} has records of import supplier SANDBOX_SUPPLIER, and this input has only NORTH.`,
    );
    expect(sandbox.requests()).toHaveLength(asked);
    await runMigration(into('https://api.example.com', { input: inputFromRecords([north, account('A-1')]) }));
    expect((await runMigration(into('https://api.example.com', { input: inputFromRecords([north]) }))).state).toBe(
      'finished',
    );
    const ledger = await openSqliteLedger(join(folder, 'ledger.sqlite'), { readOnly: true });
    expect([await ledger.fact('target'), await ledger.fact('suppliers')]).toEqual([
      'https://api.example.com',
      '["NORTH","SANDBOX_SUPPLIER"]',
    ]);
    await ledger.close();
  });

  test('has stored a supplier before it begins with one of its records', async () => {
    const { into } = scene();
    const memory = createMemoryLedger();
    let suppliers: string[] = [];
    const setFact = async (name: string, value: string) => {
      await turn();
      if (name === 'suppliers') suppliers = JSON.parse(value);
      await memory.setFact(name, value);
    };
    const begun: [string, boolean][] = [];
    const input = [account('A-1'), account('N-1', { import_supplier: 'NORTH' })];
    await runMigration(
      into('https://api.example.com', {
        ledger: { ...memory, setFact },
        input: inputFromRecords(input),
        onEvent({ supplier }, { type }) {
          if (type === 'stepStarted') begun.push([supplier, suppliers.includes(supplier)]);
        },
      }),
    );
    expect(new Set(begun.map((one) => one.join()))).toEqual(new Set(['SANDBOX_SUPPLIER,true', 'NORTH,true']));
  });
});

describe('the suppliers of a ledger', () => {
  const inputOf = (...suppliers: string[]) =>
    inputFromRecords(suppliers.map((import_supplier, index) => account(`A-${index}`, { import_supplier })));

  test('are not asked about where the ledger is new, or the input has no record', async () => {
    await expectSharedSupplier(createMemoryLedger(), inputOf('NORTH'), 'run');
    await expectSharedSupplier(await known('WEST'), inputFromRecords([{ statement: 1 }]), 'run');
  });

  test('are not looked for in an input that can be read once', async () => {
    const once = inputFromRecords(inputOnce());
    await expectSharedSupplier(await known('WEST'), once, 'run');
    const lines: number[] = [];
    for await (const { line } of once) lines.push(line);
    expect(lines).toEqual([1]);
  });

  test('are stored once each, up to a number that indicates a mistake in the input', async () => {
    const ledger = createMemoryLedger();
    const suppliers = await knownSuppliers(ledger);
    const added = Array.from({ length: 1001 }, (_, index) => suppliers.add(`S-${index}`));
    expect(added.filter((one) => one === undefined)).toHaveLength(1);
    await Promise.all(added);
    expect(suppliers.add('S-0')).toBeUndefined();
    expect(JSON.parse((await ledger.fact('suppliers')) ?? '')).toHaveLength(1000);
    await expectSharedSupplier(ledger, inputOf('OTHER'), 'run');
  });

  test('of a long list five are named', async () => {
    const ledger = await known('1', '2', '3', '4', '5', '6');
    await expect(expectSharedSupplier(ledger, inputOf('A', 'B', 'C', 'D', 'E', 'F', 'G'), 'run')).rejects.toThrow(
      'of import supplier 1, 2, 3, 4, 5, …, and this input has only A, B, C, D, E, ….',
    );
  });

  function* inputOnce() {
    yield account('N-1', { import_supplier: 'NORTH' });
  }

  async function known(...suppliers: string[]): Promise<Ledger> {
    const ledger = createMemoryLedger();
    for (const supplier of suppliers) await (await knownSuppliers(ledger)).add(supplier);
    return ledger;
  }
});

test('a move that cannot be noted is not stored', async () => {
  const { folder } = scene();
  const ledger = createMemoryLedger();
  await ledger.setFact('target', 'https://old.example.com');
  const nowhere = createAuditLog(join(folder, 'none', 'audit.log'));
  const options = {
    target: 'https://new.example.com',
    retarget: 'https://old.example.com',
    folder,
    now: () => new Date(),
  };
  await expect(claimTarget(ledger, nowhere, options)).rejects.toThrow('ENOENT');
  expect(await storedTarget(ledger)).toBe('https://old.example.com');
});
