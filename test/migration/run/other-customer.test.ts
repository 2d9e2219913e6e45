/** The number of an unfinished record is that of another customer on the next day: no item of that customer is booked on its account unasked. */
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import {
  createMemoryLedger,
  inputFromRecords,
  type MigrationOptions,
  runMigration,
} from '../../../src/migration/index.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { newFolder } from '../../helpers/folder.js';
import { settle } from '../../support/settle.js';
import { account, business } from '../rehearsal.js';

const folder = newFolder('other-customer-', afterAll);
let runs = 0;

type Operation =
  | 'transactions.create'
  | 'notes.create'
  | 'historicalStatements.create'
  | 'paymentInstructions.create'
  | 'businesses.createPaymentInstruction';

/** Each has the items of one kind, whose names begin with that of the customer. */
const ITEMS = {
  transactions: (of: string) => [
    { type: 'CHARGE', transaction_id: `${of}-1`, amount: 5, transaction_date: '2026-01-05' },
    { type: 'CHARGE', transaction_id: `${of}-2`, amount: 7, transaction_date: '2026-01-05' },
  ],
  notes: (of: string) => [{ body: `${of}-1` }, { body: `${of}-2` }],
  statements: (of: string) => [
    { statement_id: `${of}-1`, gross_amount: 5 },
    { statement_id: `${of}-2`, gross_amount: 7 },
  ],
  payment_instructions: (of: string) => [
    { vendor: 'V', reference: `${of}-1`, type: 'CARD' },
    { vendor: 'V', reference: `${of}-2`, type: 'CARD' },
  ],
};

const CUSTOMERS = { alix: '1983-07-04', basile: '1961-11-17' } as const;
type Name = keyof typeof CUSTOMERS;
const SIRETS = { alix: '73282932000074', basile: '35600000000048' } as const;

const household =
  (kind: keyof typeof ITEMS) =>
  (name: Name, isBare = false) =>
    account(
      '1',
      { customers: [{ given_name: name, family_name: name, date_of_birth: CUSTOMERS[name] }] },
      isBare ? {} : { [kind]: ITEMS[kind](name) },
    );
const company = (name: Name, isBare = false) => ({
  ...business('1', `C-${name}`, { company_name: name, siret: SIRETS[name] }),
  ...(!isBare && { payment_instructions: ITEMS.payment_instructions(name) }),
});

function openRun() {
  const sandbox = createSandbox();
  const ledger = createMemoryLedger();
  const own = join(folder, String(runs++));
  const { faults } = sandbox;
  return {
    ledger,
    faults,
    async day(records: readonly object[], more: Partial<MigrationOptions> = {}) {
      const client = new DataImportClient({
        ...{ baseUrl: 'http://localhost:1', token: sandbox.token, fetch: sandbox.fetch, maxRetries: 0 },
        advanced: { inFlightGraceMs: 1, retryBaseMs: 0 },
      });
      const options = { client, ledger, folder: own, team: 'SANDBOX_TEAM', dryRun: 'none' } as const;
      try {
        return await runMigration({ ...options, input: inputFromRecords(records), ...more });
      } finally {
        await client.close();
      }
    },
    /** The items of each account and business of the service. */
    has: () =>
      Object.fromEntries(
        sandbox.state.suppliers.flatMap(({ accounts, businesses }) => [
          ...accounts.flatMap(({ external_account_number: number, imported }) =>
            imported === undefined || imported === null
              ? []
              : [
                  [
                    number,
                    [
                      ...imported.transactions.map(({ sent }) => sent.transaction_id),
                      ...imported.notes.map(({ body }) => body),
                      ...imported.statements.map(({ statement_id }) => statement_id),
                      ...imported.payment_instructions.map(({ reference }) => reference),
                    ].toSorted(),
                  ],
                ],
          ),
          ...businesses.map(({ external_business_identifier: number, payment_instructions }) => [
            number,
            payment_instructions.map(({ reference }) => reference).toSorted(),
          ]),
        ]),
      ),
  };
}

/** Whether any item of the customer was booked on the record of the other one, and how the run says so. */
const HELD_BACK = {
  state: 'unfinished',
  reason: '1 record has not ended; 1 line is of another customer than the record',
  summary: { created: 0, unfinished: 1, changed: { count: 1, others: 1 }, balance: { isBalanced: true } },
};
const AGREED = { changedSources: true };
const ALIX = ['alix-1', 'alix-2'];
const BASILE = ['basile-1', 'basile-2'];

type Run = ReturnType<typeof openRun>;

/** An unfinished record with the number `1` of the first customer. Her items were not sent. */
const REFUSED_TOKEN =
  (operation: Operation) =>
  async ({ faults, day }: Run, line: object) => {
    faults.add({ match: { operation }, effect: { status: 401 } });
    expect(await day([line])).toMatchObject({ state: 'halted' });
    faults.clear();
  };

const LOST_PROCESS = async ({ faults, day }: Run, line: object) => {
  faults.add({ match: { operation: 'accounts.process' }, phase: 'afterCommit', when: 'first', effect: 'drop' });
  faults.add({ match: { operation: 'imports.status' }, effect: { status: 401 } });
  expect(await day([line])).toMatchObject({ state: 'halted' });
  faults.clear();
};

const now = () => new Date('2026-11-30T09:00:00Z');

const RESOLVED_STATEMENTS = async ({ faults, day, ledger }: Run, line: object) => {
  faults.add({ match: { operation: 'historicalStatements.create' }, phase: 'before', when: 'first', effect: 'drop' });
  expect(await day([line])).toMatchObject({ state: 'finished', summary: { unknown: 1 } });
  await settle(ledger, { step: 'statements', kind: 'account', number: '1' }, 'notDone', now);
};

const RESOLVED_BUSINESS = async ({ faults, day, ledger }: Run, line: object) => {
  faults.add({ match: { operation: 'businesses.create' }, phase: 'afterCommit', when: 'first', effect: 'drop' });
  expect(await day([line])).toMatchObject({ state: 'finished', summary: { unknown: 1 } });
  await settle(ledger, { step: 'create', kind: 'business', number: '1' }, 'done', now);
};

describe.each<[what: string, typeof LOST_PROCESS, of: (name: Name, isBare?: boolean) => object]>([
  ['transactions that were not sent', REFUSED_TOKEN('transactions.create'), household('transactions')],
  ['notes that were not sent', REFUSED_TOKEN('notes.create'), household('notes')],
  ['statements that were not sent', REFUSED_TOKEN('historicalStatements.create'), household('statements')],
  [
    'payment instructions that were not sent',
    REFUSED_TOKEN('paymentInstructions.create'),
    household('payment_instructions'),
  ],
  [
    'payment instructions of a business that were not sent',
    REFUSED_TOKEN('businesses.createPaymentInstruction'),
    company,
  ],
  ['transactions, and a process without an answer', LOST_PROCESS, household('transactions')],
  ['payment instructions, and a process without an answer', LOST_PROCESS, household('payment_instructions')],
  ['statements that were resolved as not sent', RESOLVED_STATEMENTS, household('statements')],
  ['payment instructions of a business that was resolved as created', RESOLVED_BUSINESS, company],
])('an unfinished record with %s, whose number is now that of another customer', (_, begin, of) => {
  async function begun() {
    const opened = openRun();
    await begin(opened, of('alix'));
    return opened;
  }

  test('is asked about', async () => {
    const { day, has } = await begun();
    await expect(day([of('basile')])).rejects.toThrow('1 line has the number of a record that exists, and another');
    expect(has()).toEqual({ 1: [] });
  });

  test.each<[string, Partial<MigrationOptions>]>([
    ['changedSources', AGREED],
    ['onRenumbered and retryRejected', { onRenumbered: () => true, retryRejected: true }],
  ])('gets no item of that customer with %s, in any number of sessions; then its own ones', async (_, how) => {
    const { day, has } = await begun();
    expect(await day([of('basile')], how)).toMatchObject(HELD_BACK);
    expect(await day([of('basile')], how)).toMatchObject(HELD_BACK);
    expect(has()).toEqual({ 1: [] });
    expect(await day([of('alix')])).toMatchObject({
      state: 'finished',
      summary: { created: 1, changed: { count: 0 } },
    });
    expect(has()).toEqual({ 1: ALIX });
  });

  test('gets those of a line that a person has agreed to, with addToExisting', async () => {
    const { day, has } = await begun();
    expect(await day([of('basile')], { ...AGREED, addToExisting: true })).toMatchObject({
      state: 'finished',
      summary: { created: 1, changed: { count: 1, others: 1 } },
    });
    expect(has()).toEqual({ 1: BASILE });
  });

  test('gets none from retry', async () => {
    const { day, has } = await begun();
    const { summary } = await day([of('basile')], { retry: true, ...AGREED });
    expect([summary, has()]).toMatchObject([{ created: 0, unfinished: 1, changed: { count: 1 } }, { 1: [] }]);
  });

  test('ends if the line has no items', async () => {
    const { day, has } = await begun();
    expect(await day([of('basile', true)], AGREED)).toMatchObject({
      state: 'finished',
      summary: { created: 1, unfinished: 0, changed: { count: 1, others: 1 } },
    });
    expect(has()).toEqual({ 1: [] });
  });
});
