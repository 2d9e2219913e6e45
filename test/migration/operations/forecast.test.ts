/** The requests of a run after a session that ended before a request was answered. */
import { expect, test } from 'vitest';
import type { LedgerRecord } from '../../../src/migration/ledger/ledger.js';
import { forecast } from '../../../src/migration/operations/forecast.js';
import { settingsOf } from '../../../src/migration/record/steps/call-settings.js';
import { account, itemsOf, openRehearsal } from '../rehearsal.js';

const of = (family_name: string) => ({ customers: [{ given_name: 'Alix', family_name }] });
const LINE = account('A-1', of('Exemple'), { statements: [{ statement_id: 'S-1' }], notes: [{ body: 'n' }] });
const KEY = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' } as const;

/** The requests for the record with an intent without an answer, and its line now. */
async function requestsWith(intent: 'statements' | 'notes' | 'process', done: LedgerRecord['done'], now = LINE) {
  const ledger = await openRehearsal().run([LINE]);
  const record = await ledger.find(KEY);
  if (record === undefined) throw new Error('the run has no record');
  const as = (status: 'sending' | 'waiting' | 'sent') => (item: LedgerRecord['items']['notes'][number]) => ({
    ...item,
    status,
  });
  const isBefore = intent === 'process';
  const items = {
    ...record.items,
    statements: record.items.statements.map(as(intent === 'statements' ? 'sending' : isBefore ? 'waiting' : 'sent')),
    notes: record.items.notes.map(as(intent === 'notes' ? 'sending' : isBefore ? 'waiting' : 'sent')),
  };
  const begun = { outcome: null, done, intent, intentAt: '2026-01-15T09:00:00.000Z', items };
  await ledger.write({ ...record, ...begun, version: record.version + 1 });
  const input = {
    async *[Symbol.asyncIterator]() {
      yield* itemsOf([now]);
    },
  };
  const options = { ledger, profile: undefined, retryRejected: false, dryRun: () => false, ...settingsOf({}) };
  return (await forecast(input, options)).requests;
}

test.each([
  ['statements, which no query can tell about, are not sent again', 'statements', 'process', {}],
  ['notes, which the service recognises, are sent again', 'notes', 'statements', { 'notes.create': 1 }],
  [
    'process is asked about, and counted as not done',
    'process',
    'stage',
    {
      ...{ 'imports.status': 1, 'accounts.process': 1 },
      ...{ 'historicalStatements.create': 1, 'notes.create': 1 },
    },
  ],
] as const)('%s', async (_, intent, done, requests) => {
  expect(await requestsWith(intent, done)).toEqual(requests);
});

test('items of another customer than that of an unfinished record are not counted', async () => {
  const other = { ...LINE, ...account('A-1', of('Muster')) };
  expect(await requestsWith('notes', 'statements', other)).toEqual({});
});
