/** A report with something in every part, as a large run that was interfered with would leave it. */

import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import type { Report } from '../../../src/migration/report/report.js';
import { createLineTally } from '../../../src/migration/report/summary/line-counts.js';
import { summarise } from '../../../src/migration/report/summary/summary.js';
import type { Sample } from '../../../src/migration/throttle/samples.js';

/** Texts that must not be shown as markup, or calculated as a formula. */
export const SCRIPT = '<script>document.title="hurt"</script><img src=x onerror=alert(1)>';
export const FORMULA = '=cmd|"/c calc"!A1';

/** The summary of a run without records. */
export const EMPTY: Report['summary'] = await summarise(createMemoryLedger(), { lines: createLineTally().counts() });

/** Two hours, a point every 30 s: a quick start, a limit that is found, a pause, a slow end. */
function samples(): Sample[] {
  return Array.from({ length: 240 }, (_, index) => {
    const isPaused = index >= 118 && index < 136;
    const limit = index < 160 ? 24 : 12;
    const concurrency = isPaused ? limit : Math.min(limit, 2 + index) - (index % 9 === 8 ? 3 : 0);
    return {
      at: Date.UTC(2026, 0, 15, 20, 0, 30 * index),
      rate: isPaused ? 0 : concurrency * 5.6 + ((index * 7) % 11) - 5,
      concurrency,
      throttled: !isPaused && index > 20 && index % 9 === 8 ? 1 + (index % 4) : 0,
      failed: index >= 150 && index < 156 ? 8 + (index % 3) : 0,
    };
  });
}

export function richReport(): Report {
  return {
    ledger: { total: 0, writes: 0 },
    target: { name: 'platform.example.com', url: 'https://platform.example.com' },
    run: {
      beganAt: '2026-01-15T20:00:00.000Z',
      startedAt: '2026-01-15T20:00:00.000Z',
      endedAt: '2026-01-15T22:00:00.000Z',
      state: 'stopped',
      reason: null,
      continueWith: 'data-import-sdk run input/ --team MIGRATION_TEAM --out run-2026-01-15',
      runAgainWith: [],
      runCommand: 'data-import-sdk run input/ --team MIGRATION_TEAM --out run-2026-01-15',
      versions: { 'data-import-sdk': '0.1.0', node: '20.20.2' },
      configuration: {
        input: 'input/',
        baseUrl: 'https://platform.example.com',
        team: 'MIGRATION_TEAM',
        validateRemotely: false,
        maxConcurrency: 40,
        window: 'Mon-Fri 20:00-06:00',
        halt: 'fail=2%,min=1000',
        note: SCRIPT,
      },
      steps: ['check', 'create', 'stage', 'process', 'paymentInstruction', 'statements', 'transactions', 'notes'],
      transactionsQuery: { check_previously_added: [true, false], force_add_to_current_statement: [false] },
      records: 999_891,
      lines: { ...createLineTally().counts(), rejected: 109, changed: { count: 7, samples: ['accounts-01.jsonl:17'] } },
    },
    ending: {
      exitCode: 7,
      next: [
        {
          count: 7,
          state: 'changed after they were sent',
          text: 'an import cannot change what exists. Accept the lines:',
          command: 'data-import-sdk resolve --run run-2026-01-15 --accept changed',
        },
        {
          state: 'Next',
          text: '',
          command: 'data-import-sdk run input/ --team MIGRATION_TEAM --out run-2026-01-15',
        },
        { state: '', text: SCRIPT },
      ],
    },
    summary: {
      input: 1_000_000,
      created: 852_310,
      alreadyImported: 1204,
      rejected: 61_204,
      skipped: 3120,
      unknown: 41,
      unfinished: 82_121,
      notInInput: 0,
      unfinishedWithoutLine: 0,
      resolvableWithoutLine: 0,
      waiting: 3011,
      duplicates: 0,
      contradicting: 109,
      toCorrect: { listed: 61_204, lines: 0, inSheet: 61_204, inFiles: 0 },
      incomplete: 812,
      lacking: { refused: 812, named: 812, unsent: 0, neverSkipped: 0, ofAnother: 0 },
      ofOtherFiles: 0,
      notBegun: 0,
      balance: {
        isBalanced: true,
        text: '852310 created + 1204 already imported + 61204 rejected + 3120 skipped + 41 unknown + 82121 unfinished = 1000000',
      },
      items: {
        paymentInstructions: totals({
          input: 849_561,
          sent: 846_890,
          rejected: 640,
          notSent: 71,
          unknown: 21,
          unfinished: 1939,
        }),
        statements: totals({ input: 1_203_400, sent: 1_202_600, notSent: 70, unknown: 17, unfinished: 713 }),
        transactions: totals({
          input: 5_400_120,
          sent: 5_390_004,
          alreadyImported: 8105,
          rejected: 172,
          notSent: 420,
          unfinished: 1419,
        }),
        notes: totals({ input: 2_000_000, sent: 1_999_500, alreadyImported: 300, notSent: 154, unfinished: 46 }),
      },
      itemBalance: { isBalanced: true, text: '' },
      uncounted: 109,
      moved: { count: 1204, places: ['accounts-01.jsonl:17 transactions.2', `${SCRIPT}:9 transactions.0`] },
      amounts: {
        types: [
          amountsOf('CHARGE', {
            input: { count: 3_400_120, sum: '204007200.5' },
            confirmed: { count: 3_390_004, sum: '203400240.19' },
            otherAmount: { count: 3, sum: '0.06' },
            alreadyImported: { count: 8105, sum: '486300' },
            rejected: { count: 172, sum: '10320' },
            notSent: { count: 420, sum: '25200.25' },
            unfinished: { count: 1419, sum: '85140' },
          }),
          amountsOf('PAYMENT', {
            input: { count: 2_000_000, sum: '-150000000' },
            confirmed: { count: 2_000_000, sum: '-150000000' },
          }),
        ],
        suppliers: [],
        isExplained: true,
      },
      otherAmounts: {
        count: 3,
        places: ['accounts-01.jsonl:17 transactions.2', 'accounts-03.jsonl:4 transactions.0'],
      },
      funnel: [
        row('business', 'check', { passed: 1990, rejected: 10 }),
        row('business', 'create', { passed: 1975, rejected: 12, unknown: 3 }),
        row('account', 'check', { passed: 909_890, rejected: 3011 + 55_000, skipped: 3011, unfinished: 27_000 }),
        row('account', 'stage', { passed: 880_000, rejected: 4100, alreadyImported: 1204, unfinished: 24_586 }),
        row('account', 'process', { passed: 851_500, rejected: 2082, unfinished: 26_418 }),
        row('account', 'paymentInstruction', { passed: 848_900, rejected: 640, unknown: 21, unfinished: 1939 }),
        row('account', 'statements', { passed: 850_770, unknown: 17, unfinished: 713 }),
        row('account', 'transactions', { passed: 849_909, rejected: 172, unfinished: 1419 }),
        row('account', 'notes', { passed: 851_454, unfinished: 46 }),
      ],
      errors: [
        {
          step: 'check',
          code: 'invalid_phone_number',
          attr: 'account.customers.*.landline',
          count: 31_870,
          samples: ['accounts-01.jsonl:0234', 'accounts-02.jsonl:8811', 'accounts-03.jsonl:9204'],
          remedy: 'Correct the field in the export: a telephone number in international form such as +33612345678.',
        },
        {
          step: 'check',
          code: 'unknown_field',
          attr: 'account.supply_addresses.*.supply_points.*.meter_serial_number',
          count: 18_204,
          samples: ['accounts-01.jsonl:1007', 'accounts-02.jsonl:1011', 'accounts-03.jsonl:1018'],
          remedy: 'Only documented fields may be sent. Take the field out of the export, or name it in a profile.',
        },
        {
          step: 'check',
          code: 'business_failed',
          attr: 'account.business.business_contract_identifier',
          count: 3011,
          samples: ['accounts-01.jsonl:4410', 'accounts-02.jsonl:4411', 'accounts-03.jsonl:4412'],
          remedy: 'The account waits for its business.',
        },
        {
          step: 'process',
          code: 'operations_team_not_found',
          attr: 'operations_team_name',
          count: 2082,
          samples: ['accounts-01.jsonl:7741'],
          remedy: 'The service has no such operations team. Check the name of the team with the operator.',
        },
        {
          step: 'stage',
          code: SCRIPT,
          attr: `customers.*.${SCRIPT}`,
          count: 4100,
          samples: [SCRIPT, FORMULA],
          remedy: 'Look at the field that the attr names; ask the operator what the code means.',
        },
        {
          step: 'paymentInstruction',
          code: 'payment_vendor_failure',
          attr: 'reference',
          count: 640,
          samples: ['accounts-01.jsonl:2210', 'accounts-02.jsonl:2291', 'accounts-03.jsonl:3320'],
          remedy: 'The payment vendor does not know the instruction, or cannot be reached for it.',
        },
        {
          step: 'read',
          code: 'invalid_json',
          attr: '',
          count: 109,
          samples: ['accounts-03.jsonl:1204', 'accounts-03.jsonl:1205', 'accounts-07.jsonl:88'],
          remedy: 'The line is no JSON.',
        },
      ],
      warnings: [],
      unknowns: [
        {
          step: 'paymentInstruction',
          count: 21,
          samples: ['accounts-01.jsonl:0831', 'accounts-02.jsonl:5512', 'accounts-03.jsonl:9107'],
          howToResolve: 'Look at the payment instructions of the account on the service.',
        },
        {
          step: 'create',
          count: 3,
          samples: ['accounts-01.jsonl:17', 'accounts-02.jsonl:44'],
          howToResolve: 'Ask the operator whether the business exists.',
        },
      ],
      changed: {
        count: 7,
        samples: ['accounts-01.jsonl:17', 'accounts-01.jsonl:19'],
        unsent: 3,
        others: 0,
        fields: [{ path: 'account.billing_postcode', count: 7, samples: ['accounts-01.jsonl:17'] }],
      },
      removed: { count: 0, samples: [] },
      accepted: { changed: 0, removed: 0 },
      corrected: { count: 1, samples: ['accounts-01.jsonl:23'] },
    },
    sessions: [samples().slice(0, 100), samples().slice(100)],
    audit: [
      { at: '2026-01-15T20:58:30.000Z', by: 'operator', what: 'pause' },
      { at: '2026-01-15T21:08:00.000Z', by: 'operator', what: 'resume' },
      { at: '2026-01-15T21:59:58.000Z', by: 'run', what: `halted: 50 records in a row with ${SCRIPT}` },
    ],
    verification: {
      at: '2026-01-15T22:05:00.000Z',
      compared: 853_514,
      differences: [
        {
          what: 'Created by the ledger, unknown to the service',
          count: 2,
          samples: ['…0044', SCRIPT],
          remedy: 'Ask the operator whether they were removed.',
        },
      ],
    },
    workers: [
      {
        id: 'b1',
        name: 'coordinator',
        host: 'import-0',
        pid: 1,
        joinedAt: '2026-01-15T20:00:00.000Z',
        leftAt: null,
        isThere: true,
        work: { ended: 610_400, requests: 2_441_600, throttled: 1204, takenOver: 33 },
      },
      {
        id: 'b2',
        name: SCRIPT,
        host: 'import-1',
        pid: 7,
        joinedAt: '2026-01-15T20:01:30.000Z',
        leftAt: '2026-01-15T21:40:00.000Z',
        isThere: false,
        work: { ended: 300_000, requests: 1_200_000, throttled: 0, takenOver: 0 },
      },
      {
        id: 'b3',
        name: 'import-2',
        host: 'import-2',
        pid: 9,
        joinedAt: '2026-01-15T20:02:00.000Z',
        leftAt: null,
        isThere: false,
        work: { ended: 1, requests: 7, throttled: 2, takenOver: 0 },
      },
    ],
  };
}

type Row = Report['summary']['funnel'][number];

function row(kind: Row['kind'], step: Row['step'], fates: Partial<Row>): Row {
  return { kind, step, passed: 0, rejected: 0, unknown: 0, alreadyImported: 0, skipped: 0, unfinished: 0, ...fates };
}

type Amounts = Report['summary']['amounts']['types'][number];

/** Parts that are not given are 0. */
function amountsOf(type: Amounts['type'], some: Partial<Amounts>): Amounts {
  const parts = [
    ...['input', 'confirmed', 'otherAmount', 'computed', 'withoutAmount', 'corrected', 'alreadyImported', 'rejected'],
    ...['skipped', 'unknown', 'notSent', 'waiting', 'unfinished', 'notExplained', 'notInInput'],
  ];
  return { ...Object.fromEntries(parts.map((part) => [part, { count: 0, sum: '0' }])), type, ...some } as Amounts;
}

type Totals = Report['summary']['items']['notes'];

function totals(some: Partial<Totals>): Totals {
  return { input: 0, sent: 0, alreadyImported: 0, rejected: 0, notSent: 0, unknown: 0, unfinished: 0, ...some };
}
