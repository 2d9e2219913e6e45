/**
 * The assumptions of answers in the log: for each entry of the register one call with that assumption, and a similar one
 * that does not. The lists are complete, so an entry too many fails as well.
 */
import { describe, expect, test } from 'vitest';
import { defineProfile } from '../../../src/validation/profile.js';
import { charge, PATH as TRANSACTIONS, payload as transactions } from '../support/billed-account.js';
import { DOMESTIC } from '../support/payloads.js';
import {
  account,
  askedForToken,
  importAccount,
  openSandbox,
  PROCESS,
  processing,
  STAGE,
  type Talk,
  tokenIn,
} from '../support/requests.js';

const VALIDATE = 'validate-account/';
const NOTES = 'notes/create/';
const ALL = 'all-account-import-processes/SANDBOX_SUPPLIER/';
const IMPORTED = 'imported-account-import-processes/SANDBOX_SUPPLIER/';
const STATUS = 'account-transfer-status/SANDBOX_SUPPLIER/A-1/';
const LANDLINE = account('A-1', { customers: [{ landline: 'none' }] });
const WITH_CONTRACT = account('A-1', { business: { business_contract_identifier: 'C-1' } });
const WITH_PATH = account('A-1', { statements: [{ statement_path: '/1.pdf' }] });
const paidBy = (means: string) =>
  account('A-1', { supply_addresses: [{ supply_points: [{ payment_schedules: [{ means }] }] }] });
const notes = (note: Record<string, unknown>) => account('A-1', { notes: [note] });
const business = (more: Record<string, unknown> = {}) => ({
  import_supplier_code: 'SANDBOX_SUPPLIER',
  external_business_identifier: 'B-1',
  ...more,
});
const instruction = (more: Record<string, unknown> = {}) => ({ vendor: 'VENDOR', reference: 'R-1', ...more });

/** What the newest call rests on. */
const assumedBy = async ({ sandbox }: Talk, call: Promise<unknown>) => {
  await call;
  return sandbox.requests().at(-1)?.assumed;
};

type Send = (talk: Talk) => Promise<unknown>;
/** One more call, with its assumptions. */
type Step = [send: Send, assumed: string[]];
const post =
  (path: string, body: unknown) =>
  ({ post: send }: Talk) =>
    send(path, body);
const get =
  (path: string) =>
  ({ get: send }: Talk) =>
    send(path);

const stageA1 = post(STAGE, account('A-1'));
const stageA2 = post(STAGE, account('A-2'));
const createB1 = post('business/', business());
const importA1: Send = (talk) =>
  importAccount(talk, 'A-1', { last_billed_to_date: '2025-12-31', customers: [{ given_name: 'Ines' }] });
const inTurn =
  (...sends: Send[]): Send =>
  async (talk) => {
    for (const send of sends) await send(talk);
  };

const CASES: [entry: string, prepare: Send, there: Step, neighbour: Step][] = [
  ['U1', stageA1, [get(ALL.slice(0, -1)), ['U1']], [get(ALL), []]],
  ['U2', stageA1, [({ request }) => request(ALL), ['U2', 'U12']], [get(ALL), []]],
  [
    'U3',
    importA1,
    [post('historical-statements/create/', account('A-1', { statements: [{}] })), ['U3']],
    [post(NOTES, notes({ body: 'Apple' })), []],
  ],
  ['U4', inTurn(), [get(ALL), ['U4']], [inTurn(stageA1, get(ALL)), []]],
  ['U5', importA1, [get(IMPORTED), ['U5']], [get(ALL), []]],
  ['U6', inTurn(), [post(VALIDATE, account('A-1', { colour: 'red' })), ['U6', 'U12']], [post(VALIDATE, LANDLINE), []]],
  ['U7', inTurn(), [post(VALIDATE, paidBy('CARD')), ['U7']], [post(VALIDATE, paidBy('DD')), []]],
  ['U8', inTurn(importA1, stageA2), [get(STATUS), ['U8']], [get(STATUS.replace('A-1', 'A-2')), []]],
  [
    'U10',
    async ({ sandbox }) => sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Paused'),
    [post(VALIDATE, account('A-1')), ['U10']],
    [post(STAGE, account('A-1')), ['U12']],
  ],
  [
    'U11',
    importA1,
    [post(PROCESS, processing('A-1', { operations_team_name: 'UNKNOWN' })), ['U11', 'U12']],
    [post(PROCESS, processing('A-1')), ['U12']],
  ],
  ['U12', stageA1, [post(PROCESS, processing('A-1', { dry_run: true })), ['U12']], [post(VALIDATE, LANDLINE), []]],
  [
    'U13',
    inTurn(),
    [post(STAGE, WITH_CONTRACT), ['U12', 'U13']],
    [
      inTurn(
        post('business/', business({ business: { business_contracts: [{ identifier: 'C-1' }] } })),
        post(STAGE, WITH_CONTRACT),
      ),
      [],
    ],
  ],
  [
    'U14',
    stageA1,
    [post(TRANSACTIONS, transactions(charge())), ['U12', 'U14']],
    [post(NOTES, notes({ body: 'Apple' })), ['U12']],
  ],
  [
    'U15',
    inTurn(importA1, post(TRANSACTIONS, transactions(charge()))),
    [post(TRANSACTIONS, transactions(charge())), ['U15', 'U32']],
    [post(`${TRANSACTIONS}?check_previously_added=false`, transactions(charge())), []],
  ],
  [
    'U16',
    importA1,
    [post(TRANSACTIONS, transactions(charge({ transaction_date: '2025-12-31' }))), ['U16', 'U25']],
    [
      post(`${TRANSACTIONS}?check_previously_added=false`, transactions(charge({ transaction_date: '2026-01-01' }))),
      [],
    ],
  ],
  [
    'U17',
    inTurn(importA1, post(NOTES, account('A-1', { notes: [{ body: 'Apple' }, { document_paths: [] }] }))),
    [post(NOTES, notes({ document_paths: [] })), ['U17', 'U32']],
    [post(NOTES, notes({ body: 'Apple' })), ['U32']],
  ],
  [
    'U32',
    inTurn(importA1, post(NOTES, notes({ body: 'Apple' }))),
    [post(NOTES, notes({ body: 'Apple' })), ['U32']],
    [post(NOTES, notes({ body: 'Mango' })), []],
  ],
  [
    'U18',
    importA1,
    [post(NOTES, notes({ body: 'Apple', is_pinned: true, unpin_at: '2026-02-01T00:00:00Z' })), ['U18']],
    [post(NOTES, notes({ body: 'Mango', is_pinned: true })), []],
  ],
  [
    'U19',
    inTurn(),
    [post(STAGE, WITH_PATH), ['U19']],
    [
      inTurn(async ({ sandbox }) => sandbox.registerDocuments('SANDBOX_SUPPLIER', ['/1.pdf']), post(STAGE, WITH_PATH)),
      [],
    ],
  ],
  [
    'U20',
    createB1,
    [post('business/', business()), ['U12', 'U20']],
    [post('business/', business({ external_business_identifier: 'B-2' })), []],
  ],
  [
    'U21',
    inTurn(importA1, createB1),
    [post('business-payment-instruction/create/', business(instruction())), ['U21']],
    [
      post(
        'business-payment-instruction/create/',
        business(instruction({ accounts: [{ external_account_number: 'A-1' }] })),
      ),
      [],
    ],
  ],
  [
    'U22',
    importA1,
    [
      post('payment-instruction/create/', account('A-1', instruction({ reference: 'sbx-vendor-persistent' }))),
      ['U12', 'U22'],
    ],
    [post('payment-instruction/create/', account('A-1', instruction())), []],
  ],
  [
    'U23',
    inTurn(stageA1, async ({ sandbox }) => sandbox.skip('SANDBOX_SUPPLIER', 'A-1')),
    [get(ALL), ['U23']],
    [inTurn(async ({ sandbox }) => sandbox.skip('SANDBOX_SUPPLIER', 'A-1', false), get(ALL)), []],
  ],
  [
    'U24',
    inTurn(),
    [post('supply-point/populate/', { prm_ids: ['1'] }), ['U24']],
    [post('supply-point/populate/', { prm_ids: 1 }), ['U12']],
  ],
  ['U25', stageA1, [post(PROCESS, processing('A-1')), ['U25']], [post(PROCESS, processing('A-1')), ['U12']]],
  ['U26', inTurn(importA1, stageA2), [get(ALL), ['U26']], [get(ALL.replace('all-', 'pending-')), []]],
];

describe('assumed', () => {
  test.each(CASES)(
    '%s is named where the answer rests on it, and not where its neighbour does not',
    async (entry, prepare, there, neighbour) => {
      const talk = openSandbox();
      await prepare(talk);
      expect(await assumedBy(talk, there[0](talk))).toEqual(there[1]);
      expect(there[1]).toContain(entry);
      expect(await assumedBy(talk, neighbour[0](talk))).toEqual(neighbour[1]);
      expect(neighbour[1]).not.toContain(entry);
    },
  );

  test('U9 is listed if the profile finds an error or allows a field, and not otherwise', async () => {
    const profile = defineProfile({
      required: { Account: ['customers.*.email'] },
      fields: { Account: { energy_region: 'string' } },
    });
    const talk = openSandbox({ settings: { profile } });
    const { post: send } = talk;
    expect(await assumedBy(talk, send(VALIDATE, account('A-1', { customers: [{}] })))).toEqual(['U9', 'U12']);
    expect(await assumedBy(talk, send(VALIDATE, account('A-1', { energy_region: 'north' })))).toEqual(['U9']);
    const email = 'ines@mail.example.com';
    expect(await assumedBy(talk, send(VALIDATE, account('A-1', { customers: [{ email }] })))).toEqual([]);
  });

  test('U27 is named by the call for a token, and not by a call with it', async () => {
    const talk = openSandbox();
    const call = talk.request(talk.sandbox.graphqlPath, askedForToken(talk.sandbox.apiKey));
    expect(await assumedBy(talk, call)).toEqual(['U27']);
    await stageA1(talk);
    const Authorization = `Token ${tokenIn(await (await call).json())}`;
    expect(await assumedBy(talk, talk.request(ALL, { headers: { Authorization } }))).toEqual([]);
  });

  test('U28 is named by the 429, U29 by a dry run under a limit, and neither by a process call within it', async () => {
    const talk = openSandbox({ settings: { processConcurrency: 1 } });
    for (const number of ['A-1', 'A-2']) await talk.post(STAGE, account(number));
    const dryRun = processing('A-1', { dry_run: true });
    expect(await assumedBy(talk, talk.post(PROCESS, dryRun))).toEqual(['U12', 'U29']);
    const hold = talk.sandbox.holdProcessing();
    const first = talk.post(PROCESS, processing('A-1'));
    await hold.waiting();
    expect(await assumedBy(talk, talk.post(PROCESS, processing('A-2')))).toEqual(['U12', 'U28']);
    hold.release();
    expect(await assumedBy(talk, first)).toEqual(['U25']);
    const free = openSandbox();
    await stageA1(free);
    expect(await assumedBy(free, free.post(PROCESS, dryRun))).toEqual(['U12']);
  });

  test('a documented answer has no assumption', async () => {
    const talk = openSandbox();
    expect(await assumedBy(talk, talk.post(VALIDATE, DOMESTIC))).toEqual([]);
    expect(await assumedBy(talk, talk.post(STAGE, DOMESTIC))).toEqual([]);
    expect(await assumedBy(talk, talk.post(STAGE, DOMESTIC))).toEqual([]);
    expect(await assumedBy(talk, talk.get('account-transfer-status/SANDBOX_SUPPLIER/0001/'))).toEqual([]);
    await importA1(talk);
    expect(await assumedBy(talk, talk.post(TRANSACTIONS, transactions(charge())))).toEqual([]);
  });

  test('U16 a transaction that is refused rests on the open period, and a prefix that could be kept on U15', async () => {
    const talk = openSandbox();
    await importA1(talk);
    const path = `${TRANSACTIONS}?force_add_to_current_statement=false`;
    const early = charge({ transaction_id: 'T-2', transaction_date: '2025-12-31' });
    expect(await assumedBy(talk, talk.post(path, transactions(early)))).toEqual(['U16', 'U25']);
    const batch = transactions(charge(), early);
    const unchecked = `${path}&check_previously_added=false`;
    expect(await assumedBy(talk, talk.post(unchecked, batch))).toEqual(['U15', 'U16', 'U25']);
  });

  test('U25 the time zone is listed only if the day is at the end of the open period', async () => {
    const talk = openSandbox();
    await importA1(talk);
    const on = (transaction_date: string) =>
      talk.post(`${TRANSACTIONS}?check_previously_added=false`, transactions(charge({ transaction_date })));
    expect(await assumedBy(talk, on('2026-01-14'))).toEqual([]);
    expect(await assumedBy(talk, on('2026-01-15'))).toEqual(['U25']);
  });
});
