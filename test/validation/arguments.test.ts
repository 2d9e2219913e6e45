/** Arguments of another kind: each function says what it expects and what it has found, in place of an error of the runtime. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { operations, replayClass } from '../../schemas/operations.js';
import { instrumentDataImport } from '../../src/http/opentelemetry/instrument.js';
import { callPromise, DataImportClient, networkDispatcher } from '../../src/index.js';
import { inputFromRecords, openInput, openSqliteLedger, runMigration } from '../../src/migration/index.js';
import {
  groupRows,
  parseDate,
  parseDecimal,
  parsePhone,
  readCsv,
} from '../../src/migration/input/csv/mapping/index.js';
import { certify, createSandbox, learn } from '../../src/sandbox/index.js';
import { newFolder } from '../helpers/folder.js';

const folder = newFolder('arguments-', afterAll);
const at = (name: string) => join(folder, name);
writeFileSync(at('a.csv'), 'a\n1\n');
const sandbox = createSandbox({ suppliers: [{ code: 'ACME' }], teams: ['EAST'] });
const client = new DataImportClient({ baseUrl: 'http://localhost', token: sandbox.token, fetch: sandbox.fetch });
const record = { account: { external_account_number: 'A-1', import_supplier: 'ACME' } };
const runWith = (options: object) =>
  runMigration({ client, input: inputFromRecords([record]), folder: at('run'), team: 'EAST', ...options });

/** A program in JavaScript, or with a cast, gives any value. */
const any = (value: unknown) => value as never;

test.each<[call: string, () => unknown, message: string]>([
  ['parseDate(7)', () => parseDate(any(7), 'DD.MM.YYYY'), 'parseDate: expected a text, found a value of type number.'],
  [
    'parseDecimal({})',
    () => parseDecimal(any({}), '.'),
    'parseDecimal: expected a text, found a value of type object.',
  ],
  ['parsePhone([])', () => parsePhone(any([]), 'FR'), 'parsePhone: expected a text, found a value of type object.'],
  [
    'parseDate options',
    () => parseDate('', 'DD.MM.YYYY', any(null)),
    'parseDate: options: expected a value of type object, found null.',
  ],
  [
    'groupRows()',
    () => groupRows(any(undefined), any('a')),
    'groupRows: rows: expected records in an array, an iterable or an async iterable, found undefined.',
  ],
  ['readCsv([])', () => readCsv(any([])), 'readCsv: path: expected a text that is not empty, found a list.'],
  ['replayClass()', () => replayClass(any(undefined), {}), 'replayClass: expected an operation of `operations`'],
  [
    'replayClass(…, null)',
    () => replayClass(operations['transactions.create'], any(null)),
    'replayClass: expected an operation of `operations`',
  ],
  [
    'callPromise({}, null)',
    () => callPromise({}, any(null)),
    'callPromise: expected an object of options, found null.',
  ],
  [
    'client.request',
    () => client.request('GET', 'x/', { query: any(null) }),
    'query: expected an object of strings, numbers and booleans',
  ],
  ['networkDispatcher', () => networkDispatcher({ tls: { ca: any([7]) } }), 'tls: ca has no certificate.'],
  [
    'instrumentDataImport',
    () => instrumentDataImport({ meterProvider: any({}) }),
    'instrumentDataImport: meterProvider: expected a MeterProvider, found object.',
  ],
  ['learn([1])', () => learn([any(1)]), 'learn: entry 0 is no recorded call. Expected the result of parseRecording.'],
  [
    'certify',
    () => certify({ run: async () => any(1) }),
    'certify: output of the result of run: expected a value of type string, found undefined.',
  ],
  ['sandbox.keepIn', () => sandbox.keepIn(any(7)), 'sandbox.keepIn: path: expected a text that is not empty, found 7.'],
  ['openInput([7])', () => openInput([any(7)]), 'openInput: a path: expected a value of type string, found 7.'],
  ['openInput map', () => openInput([at('a.csv')], { map: any(null) }), 'a.csv: CSV needs a mapping module'],
  [
    'openSqliteLedger([])',
    () => openSqliteLedger(any([])),
    'openSqliteLedger: path: expected a text that is not empty, found a list.',
  ],
  [
    'now of a ledger',
    () => openSqliteLedger(at('l'), { now: any(() => 7) }),
    'openSqliteLedger: the result of now: expected a valid Date, found 7.',
  ],
  [
    'now of a run',
    () => runWith({ now: () => Date.UTC(2026, 0, 15) }),
    'runMigration: the result of now: expected a valid Date, found 1768435200000.',
  ],
  [
    'distributed',
    () => runWith({ distributed: {} }),
    'runMigration: distributed: expected the result of openDistributedRun, found object.',
  ],
  [
    'throttle.window',
    () => runWith({ throttle: { window: {} } }),
    'runMigration: throttle: window: expected the result of parseWindow, found object.',
  ],
  [
    'throttle.clock',
    () => runWith({ throttle: { clock: {} } }),
    'runMigration: throttle: clock: expected an object with the methods now and after, found object.',
  ],
])('%s', async (_, call, message) => {
  const error = await Promise.resolve()
    .then(call)
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: expect.stringContaining(message) });
});
