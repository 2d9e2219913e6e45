/** An input without a record, in code: the error that the command line gives. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import {
  createMemoryLedger,
  type Input,
  inputFromRecords,
  openInput,
  runMigration,
} from '../../../src/migration/index.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { newFolder } from '../../helpers/folder.js';
import { account } from '../rehearsal.js';

function surroundings() {
  const folder = newFolder('empty-input-');
  const sandbox = createSandbox();
  const client = new DataImportClient({
    baseUrl: 'http://localhost:1',
    token: sandbox.token,
    fetch: sandbox.fetch,
  });
  const options = { client, folder: join(folder, 'run'), team: 'SANDBOX_TEAM', ledger: createMemoryLedger() };
  return {
    at: (name: string) => join(folder, name),
    run: (input: Input, more: { retry?: boolean; canary?: number } = {}) =>
      runMigration({ ...options, input, ...more }),
    requests: sandbox.requests,
  };
}

async function* noRecords() {}

async function* oneRecord() {
  yield account('A-1');
}

test.each([
  ['an empty array', inputFromRecords([])],
  ['a function that gives none', inputFromRecords(noRecords)],
])('%s is refused before anything is written', async (_, given) => {
  const { run, at, requests } = surroundings();
  await expect(run(given)).rejects.toMatchObject({
    name: 'InputError',
    message: 'the input has no record. Expected at least one.',
  });
  expect(existsSync(at('run'))).toBe(false);
  expect(requests()).toEqual([]);
});

test('an empty file is named', async () => {
  const { run, at } = surroundings();
  writeFileSync(at('input.jsonl'), '');
  await expect(run(await openInput([at('input.jsonl')]))).rejects.toThrow(
    `the input has no record. ${at('input.jsonl')}: expected a record, found an empty file.`,
  );
});

test('corrected lines of which there are none are refused too', async () => {
  await expect(surroundings().run(inputFromRecords([]), { retry: true })).rejects.toThrow('the input has no record');
});

test('an input that can be read only once is refused after reading if it has no record; otherwise it is sent', async () => {
  const { run } = surroundings();
  await expect(run(inputFromRecords(noRecords()))).rejects.toThrow('the input has no record. Expected at least one.');
  expect((await run(inputFromRecords(oneRecord()))).summary).toMatchObject({ created: 1, input: 1 });
});

test('a canary of 0 records is none: all records are sent', async () => {
  const { run } = surroundings();
  expect(await run(inputFromRecords([account('A-1')]), { canary: 0 })).toMatchObject({ summary: { created: 1 } });
});
