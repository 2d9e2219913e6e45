/** The second day: the export is written again, with fields, records and numbers that differ from the first. */
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { inputFromRecords, openInput, runMigration } from '../../../src/migration/index.js';
import { createSandbox, type SandboxSnapshot } from '../../../src/sandbox/index.js';
import { shortAndLong } from '../../helpers/short-and-long.js';
import { countAsOriginal } from '../../support/change-ledger.js';
import { account, ended, line, nameService, openFolder, refused, run, runIn, valueIn, valuesIn } from '../typed.js';

const { at } = openFolder();

const CAMILLE = { given_name: 'Camille', email: 'camille.exemple@example.com' };
const ANDREA = { given_name: 'Andrea', email: 'andrea.modele@example.com' };
const DANA = { given_name: 'Dana', email: 'dana.muster@example.com' };

const STATEMENT = {
  ...{ statement_id: 'S-1', number: 'F-1', gross_amount: 100, issued_date: '2025-12-02' },
  ...{ bill_period_from_date: '2025-11-01', bill_period_to_date: '2025-11-30' },
};

const of = (number: string, customer: object, more: object = {}) =>
  account(number, { billing_postcode: '69003', customers: [customer], ...more });

let runs = 0;

const sandbox = createSandbox();
let url: string;
beforeAll(async () => {
  const server = await sandbox.listen();
  url = server.url;
  return () => server.close();
});

/** A separate service for this test, with the state. */
function serviceWith(state?: SandboxSnapshot) {
  const own = sandbox.isolated(`day-${runs}`);
  if (state !== undefined) own.restore(state);
  nameService(url, own.token, 'SANDBOX_TEAM');
  const created = () =>
    own.requests().flatMap(({ change, account: number }) => (change === 'staged → imported' ? [number] : []));
  return { own, created };
}

const input = at('day.jsonl');
const write = (...lines: object[]) => writeFileSync(input, lines.map(line).join(''));

/** What the first days with the same records left: many tests begin with the same one. */
const firstDays = new Map<string, { folder: string; state: SandboxSnapshot; created: (string | null)[] }>();

async function madeFirstDay(records: object[]) {
  const key = JSON.stringify(records);
  const known = firstDays.get(key);
  if (known !== undefined) return known;
  const folder = at(`first-${runs++}`);
  const { own, created } = serviceWith();
  write(...records);
  expect(await run('run', input, '--run', folder)).toMatchObject({ code: 0 });
  await countAsOriginal(folder);
  const made = { folder, state: own.snapshot(), created: created() };
  firstDays.set(key, made);
  return made;
}

/** The first day, with the records; then a function for each further day. */
async function firstDay(...records: object[]) {
  const first = await madeFirstDay(records);
  const folder = at(`run-${runs++}`);
  cpSync(first.folder, folder, { recursive: true });
  const { own, created } = serviceWith(first.state);
  const day = async (...lines: object[]) => {
    write(...lines);
    return run('run', input, '--run', folder);
  };
  const typed = (...words: string[]) => run(...words, '--run', folder);
  const entries = (file: string) => valuesIn(`${folder}/${file}`);
  write(...records);
  return { sandbox: own, folder, day, typed, entries, created: () => [...first.created, ...created()] };
}

const balance = (out: string) => out.split('\n').find((text) => text.includes(' created + '));

test('a record that is no longer in the input is counted and listed, until a person accepts it', {
  tags: 'long',
}, async () => {
  const { day, typed, entries } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA));
  const second = await day(of('A-1', CAMILLE));

  expect(second.code).toBe(3);
  expect(balance(second.out)).toBe('1 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 1');
  expect(second.out).toContain('1 record exists on the service and is no longer in the input (');
  expect(second.out).toContain('resolve');
  expect(entries('not-in-input.jsonl')).toMatchObject([{ kind: 'account', number: 'A-2', line: 2, original: null }]);

  const accepted = await typed('resolve', '--accept', 'removed');
  expect(accepted).toMatchObject({ code: 0 });
  expect(accepted.out).toContain('Accepted that 1 record is no longer in the input.');
  expect((await day(of('A-1', CAMILLE))).code).toBe(0);
});

test('so it is if all records that the file of another name has are sent anew', async () => {
  const { folder } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA));
  const noted = at('noted.jsonl');
  writeFileSync(noted, line({ ...of('A-1', CAMILLE), notes: [{ body: 'Prefers letters.' }] }));
  expect(await run('run', noted, '--run', folder, '--add-to-existing')).toMatchObject(
    ended(3, '1 record exists on the service and is no longer in the input ('),
  );
});

describe('a record belongs to the file that had it last', () => {
  const records = {
    1: of('A-1', CAMILLE),
    2: of('A-2', ANDREA),
    3: of('A-3', DANA),
    4: of('A-4', { ...DANA, email: 'someone.else@example.com' }),
  };
  type Name = keyof typeof records;
  /** Each day has its files with their records. */
  type Day = Record<string, readonly Name[]>;
  const REMOVED = /(\d+) records? exists? on the service and (?:is|are) no longer in the input/;

  async function removedEachDay(days: readonly Day[]) {
    const folder = at(`moved-${runs++}`);
    serviceWith();
    const removed: number[] = [];
    for (const day of days) {
      const paths = Object.entries(day).map(([file, names]) => {
        const path = at(`${file}.jsonl`);
        writeFileSync(path, names.map((name) => line(records[name])).join(''));
        return path;
      });
      const { code, out } = await run('run', ...paths, '--run', folder, '--changed-sources');
      const count = Number(REMOVED.exec(out)?.[1] ?? 0);
      expect(code).toBe(count > 0 ? 3 : 0);
      removed.push(count);
    }
    return removed;
  }

  test.for<[string, readonly Day[], readonly number[]]>([
    ['in an export that has another name each day', [{ a: [1, 2, 3] }, { b: [1, 3] }], [0, 1]],
    ['half of its records in a file of another name', [{ a: [1, 2] }, { b: [1] }], [0, 1]],
    [
      'that an earlier export of another name had brought',
      [{ a: [1, 2] }, { b: [1, 2, 3] }, { c: [1, 2] }, { b: [1, 2, 3] }, { c: [1, 2] }],
      [0, 0, 1, 0, 1],
    ],
    [
      'of an export that has had two other names since',
      [{ a: [1] }, { b: [1, 2, 3] }, { c: [1, 2, 3] }, { d: [2, 3] }],
      [0, 0, 0, 1],
    ],
    [
      'of a file that is read without the one that has most of its records now',
      [{ a: [1, 2, 3] }, { b: [1, 2, 3] }, { b: [1], c: [2, 3] }, { b: [4] }],
      [0, 0, 0, 1],
    ],
    ['in another part of the input', [{ a: [1, 2] }, { b: [3] }], [0, 0]],
    ['that comes back', [{ a: [1, 2] }, { a: [1] }, { a: [2, 1] }], [0, 1, 0]],
    ['moved to another file', [{ a: [1, 2], b: [3] }, { a: [1], b: [2, 3] }, { b: [3] }], [0, 0, 1]],
    ['moved, and its former file is read', [{ a: [1, 2], b: [3] }, { a: [1], b: [2, 3] }, { a: [1] }], [0, 0, 0]],
    ['moved, one file each day', [{ a: [1, 2, 4], b: [3] }, { a: [1, 4] }, { b: [2, 3] }, { b: [3] }], [0, 1, 0, 1]],
    [
      'all moved to another file',
      [{ a: [1, 2], b: [3] }, { a: [4], b: [1, 2, 3] }, { a: [], b: [1, 2, 3] }, { b: [1, 3] }],
      [0, 0, 1, 2],
    ],
    [
      'beside others of its former file',
      [{ a: [1, 2], b: [3] }, { a: [4], b: [1, 2, 3] }, { b: [1, 2, 3] }],
      [0, 0, 0],
    ],
    ['split into two', [{ a: [1, 2, 3, 4] }, { b: [1, 2], c: [3, 4] }, { b: [1] }, { c: [3] }], [0, 0, 1, 2]],
    ['merged', [{ a: [1, 2], b: [3, 4] }, { c: [1, 2, 3, 4] }, { c: [1, 3] }], [0, 0, 2]],
    ['merged into one of them', [{ a: [1, 2], b: [3, 4] }, { b: [1, 2, 3, 4] }, { b: [1, 3] }], [0, 0, 2]],
    [
      'renamed, then moved',
      [{ a: [1, 2], b: [3] }, { c: [1, 2], b: [3] }, { c: [1], b: [2, 3] }, { b: [3] }],
      [0, 0, 0, 1],
    ],
    ['in both files, then in one of them', [{ a: [1, 2], b: [2, 3] }, { a: [1], b: [2, 3] }, { b: [3] }], [0, 0, 1]],
    ['in a part that one session has read', [{ a: [1, 2, 3, 4] }, { part: [1] }, { a: [2, 3, 4] }], [0, 0, 1]],
    [
      'moved back',
      [{ a: [1, 2], b: [3] }, { a: [1], b: [2, 3] }, { a: [1, 2], b: [3] }, { b: [3] }, { a: [1] }],
      [0, 0, 0, 0, 1],
    ],
  ])('%s', async ([, days, expected]) => {
    expect(await removedEachDay(days)).toEqual(expected);
  });
});

test('lines without a record of an export that has another name each day are gone with it', async () => {
  const { day, folder } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA));
  const first = [of('A-1', CAMILLE), of('A-2', ANDREA)];
  expect((await day(...first, of('A-2', DANA), { account: 'A-3' })).code).toBe(3);
  const corrected = at('corrected-export.jsonl');
  writeFileSync(corrected, [...first, of('A-3', DANA)].map(line).join(''));
  const { code, out } = await run('run', corrected, '--run', folder);
  expect([code, balance(out)]).toEqual([0, '3 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 3']);
});

test('the commands to run again name the export as it is called now, also for unknown outcomes', async () => {
  const { sandbox, day, folder } = await firstDay(of('A-1', CAMILLE));
  sandbox.faults.add({ match: { operation: 'historicalStatements.create' }, effect: 'drop' });
  const records = [
    of('A-1', CAMILLE),
    { ...of('A-2', ANDREA), statements: [STATEMENT] },
    of('A-3', { mobile: 'none' }),
  ];
  expect((await day(...records)).code).toBe(4);
  const renamed = at('called-now.jsonl');
  writeFileSync(renamed, records.map(line).join(''));
  const { code, out } = await run('run', renamed, '--run', folder);
  expect(code).toBe(4);
  expect(out.match(/(?<=^To run again: ).*$/gm)).toEqual([expect.stringContaining('called-now.jsonl')]);
});

test('a record that stays rejected is listed at its line of today', async () => {
  const { day, entries, folder } = await firstDay(of('A-1', CAMILLE));
  const rejected = of('A-2', { mobile: 'none' });
  expect((await day(rejected, of('A-1', CAMILLE))).code).toBe(3);
  expect((await day(of('A-1', CAMILLE), of('A-3', DANA), rejected)).code).toBe(3);
  expect(entries('rejected.jsonl')).toMatchObject([{ number: 'A-2', line: 3 }]);
  expect(readFileSync(`${folder}/rejected.csv`, 'utf8')).toMatch(/;3;A-2;/);
});

test('a changed line counts no more when a part of the export in another file has a later one', async () => {
  const { day, folder } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA), of('A-3', DANA));
  const noted = { ...of('A-1', CAMILLE), notes: [{ body: 'Prefers letters.' }] };
  expect((await day(noted, of('A-2', ANDREA), of('A-3', DANA))).code).toBe(3);
  const part = at('later-part.jsonl');
  writeFileSync(part, line({ ...noted, statements: [STATEMENT] }));
  const { code, out } = await run('run', part, '--run', folder, '--add-to-existing');
  expect(code).toBe(0);
  expect(out).toContain('statements: 1 sent = 1\n');
  expect(out).toContain('notes: 1 sent = 1\n');
  expect(out).toContain('Amounts: input and service agree: 100.00 statements\n');
});

test('a file with fewer of them is a part of the input: the others are counted and named', async () => {
  const { folder } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA), of('A-3', DANA));
  const few = at('few.jsonl');
  writeFileSync(few, line(of('A-1', CAMILLE)));
  const { code, out } = await run('run', few, '--run', folder);
  expect([code, balance(out)]).toEqual([0, expect.stringContaining('= 3')]);
  expect(out).toContain(
    'This session read 1 of these 3 lines. The others are not in its files, and count as before. If its files replace earlier ones, give them the same names, or all files in one command: records that are missing are then reported.\n',
  );
  // A canary reads a part of its files.
  expect((await run('run', input, '--run', folder, '--canary', '1')).out).not.toContain('This session read');
});

test('changed lines: the report names the fields, with their counts and places', { tags: 'long' }, async () => {
  const { day, typed, entries, folder } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA), of('A-3', DANA));
  const changed = [
    of('A-1', CAMILLE, { billing_postcode: '69004' }),
    of('A-2', { given_name: 'Andrea' }, { billing_postcode: '69004' }),
    of('A-3', DANA),
  ];
  const second = await day(...changed);

  expect(second.code).toBe(3);
  expect(second.out).toMatch(/2 lines differ from what exists \(day\.jsonl:1, day\.jsonl:2; see changed\.jsonl\)/);
  expect(second.out).toMatch(/ 2 {2}account\.billing_postcode \(day\.jsonl:1, day\.jsonl:2\)/);
  expect(second.out).toMatch(/ 1 {2}account\.customers\.\*\.email \(day\.jsonl:2\)/);
  expect(entries('changed.jsonl').map(({ number, paths }) => [number, paths])).toEqual([
    ['A-1', ['account.billing_postcode']],
    ['A-2', ['account.billing_postcode', 'account.customers.*.email']],
  ]);
  const { summary } = valueIn(`${folder}/report.json`);
  expect(summary.changed.fields.map(({ path, count }: { path: string; count: number }) => [path, count])).toEqual([
    ['account.billing_postcode', 2],
    ['account.customers.*.email', 1],
  ]);
  expect(second.out).not.toContain('69004');

  expect((await typed('resolve', '--accept', 'changed', '--account', 'A-1')).out).toContain('Accepted 1 changed line.');
  expect((await day(...changed)).code).toBe(3);
  expect((await typed('resolve', '--accept', 'changed')).out).toContain('Accepted 1 changed line.');
  const accepted = await day(...changed);
  expect(accepted.code).toBe(0);
  expect(accepted.out).toContain('Accepted with resolve: 2 changed lines.');
});

test('a line that is restored needs nothing; one that changes once more after it was accepted has to be accepted again', async () => {
  const { day, typed } = await firstDay(of('A-1', CAMILLE));
  expect((await day(of('A-1', CAMILLE, { billing_postcode: '69004' }))).code).toBe(3);
  expect((await day(of('A-1', CAMILLE))).code).toBe(0);
  expect((await day(of('A-1', CAMILLE, { billing_postcode: '69004' }))).code).toBe(3);
  await typed('resolve', '--accept', 'changed');
  expect((await day(of('A-1', CAMILLE, { billing_postcode: '69005' }))).code).toBe(3);
});

test('a number that has nothing to accept is a slip: code 2', async () => {
  const { typed } = await firstDay(of('A-1', CAMILLE));
  for (const what of ['changed', 'removed']) {
    expect(await typed('resolve', '--accept', what, '--account', 'A-7')).toMatchObject(
      refused('account A-7 has nothing to accept: '),
    );
  }
  expect((await typed('resolve', '--accept', 'changed')).out).toContain('Accepted 0 changed lines.');
  expect(JSON.parse((await typed('resolve', '--accept', 'changed', '--json')).out)).toMatchObject({ accepted: 0 });
});

const POINT = { supply_addresses: [{ supply_points: [{ identifier: '01234567890123' }] }] };

const withOpening = (record: object, transaction_id: string) => ({
  ...record,
  transactions: [{ transaction_id, transaction_date: '2026-01-01', type: 'CHARGE', reason: 'Opening', amount: 12 }],
});

/** A customer on the first and on the second day; both numbers, and what tells that it is one customer. */
type Renumbered = [former: object, now: object, named: string];

const [ANNE, BRUNO, CLARA, EVA, FINN] = ['Anne', 'Bruno', 'Clara', 'Eva', 'Finn'].map((given_name) => ({
  given_name,
  email: `${given_name.toLowerCase()}.exemple@example.com`,
})) as [object, object, object, object, object];

for (const [rows, options] of shortAndLong<[what: string, customers: Renumbered[]]>(
  [
    [
      'whose number is in the ids of its items, has its accents in another form, or lost its zeros',
      [
        [
          withOpening(of('C-1', CAMILLE), 'C-1-OPENING'),
          withOpening(of('401', CAMILLE), '401-OPENING'),
          '401, formerly C-1 (nothing else differs)',
        ],
        [of('\u00dc-8', DANA), of('U\u0308-8', ANNE), '"U\\u0308-8", formerly "\\u00dc-8" (the number differs'],
        [of('007', BRUNO), of('7', CLARA), '7, formerly 007 (the number differs in zeros'],
      ],
    ],
    [
      'with the same supply point, in nothing else, or with a decimal point of a spreadsheet',
      [
        [of('A-1', CAMILLE, POINT), of('B-9', DANA, POINT), 'B-9, formerly A-1 (a supply point is the same'],
        [of('A-3', ANNE), of('N-77', ANNE), 'N-77, formerly A-3 (nothing else differs)'],
        [of('4711', BRUNO), of('4711.0', CLARA), '4711.0, formerly 4711 (the number differs'],
      ],
    ],
    [
      'in another order, or whose number lost zeros after its letters',
      [
        [
          of('A-5', CAMILLE, { customers: [CAMILLE, ANNE, BRUNO] }),
          of('X-9', CAMILLE, { customers: [BRUNO, CAMILLE, ANNE] }),
          'X-9, formerly A-5 (a customer is the same)',
        ],
        [of('GAS-0070.02', EVA), of('GAS-70.2', FINN), 'GAS-70.2, formerly GAS-0070.02 (the number differs in zeros'],
      ],
    ],
  ],
  [
    [
      'in other case and signs',
      [
        [
          of('ab-12', CAMILLE),
          of('AB 12', DANA),
          'AB 12, formerly ab-12 (the number differs in zeros, case or signs only)',
        ],
        [
          of('815', EVA),
          of('\uff18\uff11\uff15', FINN),
          '"\\uff18\\uff11\\uff15", formerly "815" (the number differs in zeros',
        ],
      ],
    ],
  ],
))
  test.each(rows)('customers %s are not created a second time', options, async (_, customers) => {
    const { day, created, folder } = await firstDay(...customers.map(([former]) => former), of('A-2', ANDREA));
    const before = created();
    expect(before).toHaveLength(customers.length + 1);
    const second = await day(...customers.map(([, now]) => now), of('A-2', ANDREA));

    expect(second.code).toBe(7);
    expect(second.err).toMatch(
      new RegExp(`${customers.length} new records? seems? to exist already under another number`),
    );
    for (const [, , named] of customers) expect(second.err).toContain(`account ${named}`);
    expect(second.err).toContain('Nothing was sent.');
    expect(created()).toEqual(before);

    const asked = vi.fn(async () => 'n');
    expect((await runIn({ ask: asked }, 'run', input, '--run', folder)).code).toBe(7);
    expect(asked).toHaveBeenCalledOnce();
    expect(created()).toEqual(before);

    expect((await runIn({ ask: async () => 'y' }, 'run', input, '--run', folder)).code).toBe(3);
    expect(created()).toHaveLength(before.length + customers.length);
  });

test('records of a generator, which can be read only once, are compared before the first is sent', async () => {
  const { folder, created } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA));
  const { DATA_IMPORT_BASE_URL: baseUrl = '', DATA_IMPORT_TOKEN: token = '' } = process.env;
  const client = new DataImportClient({ baseUrl, token });
  const records = (function* () {
    yield of('N-77', CAMILLE);
    yield of('A-2', ANDREA);
  })();
  const again = runMigration({ client, input: inputFromRecords(records as never), folder, team: 'SANDBOX_TEAM' });
  await expect(again).rejects.toMatchObject({ name: 'RenumberedError', records: [{ number: 'N-77', by: 'content' }] });
  await client.close();
  expect(created()).toHaveLength(2);
});

test('the report of a session that did not get its answer has its exit code and its reason', async () => {
  const { folder, day } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA));
  const report = () => {
    const { run: facts, ending } = JSON.parse(readFileSync(`${folder}/report.json`, 'utf8'));
    return { state: facts.state, exitCode: ending.exitCode, reason: facts.reason };
  };
  expect(report()).toEqual({ state: 'finished', exitCode: 0, reason: null });
  expect((await day(of('N-77', CAMILLE), of('A-2', ANDREA))).code).toBe(7);
  const refused = { state: 'stopped', exitCode: 7, reason: expect.stringMatching(/^1 new record seems to exist/) };
  expect(report()).toEqual(refused);
  expect((await run('status', '--run', folder)).out).toContain('The last session was stopped: 1 new record seems');
  await run('report', '--run', folder);
  expect(report()).toEqual(refused);
});

test('a canary of a renumbered customer asks, too', async () => {
  const { folder, created } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA));
  write(of('N-77', CAMILLE), of('A-2', ANDREA));
  const { err } = await run('run', input, '--run', folder, '--canary', '1');
  expect(err).toContain('1 new record seems to exist already under another number');
  expect(created()).toHaveLength(2);
});

test('a canary sends a new customer if the former one is in the part that it does not read', async () => {
  const { folder, created } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA));
  write(of('N-77', CAMILLE), of('A-2', ANDREA), of('A-1', { ...CAMILLE, email: 'other@example.com' }));
  await run('run', input, '--run', folder, '--canary', '1');
  expect(created()).toEqual(['A-1', 'A-2', 'N-77']);
});

test('after a refusal the ledger has no line of it, and the restored input has nothing to do', async () => {
  const { folder, day } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA));
  expect((await day(of('N-77', CAMILLE), of('A-2', { ...ANDREA, mobile: '+33600000001' }))).code).toBe(7);
  expect(readFileSync(`${folder}/ledger.sqlite`, 'latin1')).not.toMatch(/exemple@|\+33600000001/);
  write(of('A-1', CAMILLE), of('A-2', ANDREA));
  expect(await run('run', input, '--run', folder)).toMatchObject(ended(0, '2 created'));
});

test('a business is no other one because another supplier has a contract of the same identifier', async () => {
  const of = (supplier: string, number: string, company_name: string) => ({
    business: {
      ...{ import_supplier_code: supplier, external_business_identifier: number },
      business: { company_name, business_contracts: [{ identifier: number.slice(2) }] },
    },
  });
  const there = of('SANDBOX_SUPPLIER', 'B-2', 'Exemple');
  const { day } = await firstDay(of('SANDBOX_SUPPLIER', 'B-1', 'Modele'), there);
  const { code, err } = await day(there, of('OTHER', 'X-1', 'Muster'));
  // It is sent: the service refuses the supplier.
  expect([code, err]).toEqual([8, '']);
});

test('an account of a contract that the changed line of its business adds is rejected, and the remedy connects the two', async () => {
  const company = (...identifiers: string[]) => ({
    business: {
      ...{ import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' },
      business: {
        company_name: 'Exemple',
        business_contracts: identifiers.map((identifier) => ({ identifier })),
      },
    },
  });
  const { day } = await firstDay(company('C-1'));
  const ofContract = { account_type: 'BUSINESS', business: { business_contract_identifier: 'C-2' } };
  const { code, out } = await day(company('C-1', 'C-2'), account('A-4', ofContract));
  expect(code).toBe(3);
  expect(out).toContain(
    'If its business exists and the line of the business was changed to add the contract (changed.jsonl lists it), that change was not sent: ask the operator to add the contract to the business, then run again with --retry-rejected.',
  );
});

test('a refusal for other numbers ends with what to do', async () => {
  const { folder } = await firstDay(of('A-1', CAMILLE));
  write(of('N-77', CAMILLE));
  const { out, code } = await run('run', input, '--run', folder);
  expect(code).toBe(7);
  expect(out.trim()).toBe(
    `Next (1 under another number): they exist under their former numbers. Put these back into the input, and ask the operator if the new ones are right. If they are other customers: data-import-sdk run ${input} --run ${folder} --changed-sources`,
  );
  // The operator who did not see it.
  expect((await run('status', '--run', folder)).out).toContain(
    'The last session was stopped: 1 new record seems to exist already under another number or supplier',
  );
});

test('the same supply points in another order: nothing differs', async () => {
  const point = (identifier: string, supply_type: string) => ({ identifier, supply_type });
  const points = [point('01234567890123', 'ELECTRICITY'), point('01234567890124', 'GAS')];
  const at = (supply_points: object[]) => of('A-1', CAMILLE, { supply_addresses: [{ supply_points }] });
  const { day } = await firstDay(at(points));
  expect(await day(at([...points].reverse()))).toMatchObject({ code: 0 });
  const other = await day(at([point('01234567890124', 'GAS'), point('01234567890199', 'ELECTRICITY')]));
  expect(other.code).toBe(3);
  expect(other.out).toContain('supply_points.*.identifier');
});

/** A session during which the input is written again, after it was read. */
async function sessionWhile(folder: string, rewrite: () => void, path = input) {
  const { DATA_IMPORT_BASE_URL: baseUrl = '', DATA_IMPORT_TOKEN: token = '' } = process.env;
  const opened = await openInput([path]);
  const client = new DataImportClient({ baseUrl, token });
  const { state, reason, summary } = await runMigration({
    ...{ client, input: opened, folder, team: 'SANDBOX_TEAM' },
    onEvent: ({ number }, { type }) => {
      if (number === 'A-3' && type === 'ended') rewrite();
    },
  });
  await opened.close();
  await client.close();
  return { state, reason, input: summary.input };
}

test('a file that is written again while the run reads it is compared in the next session', async () => {
  const { folder, created } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA));
  write(of('A-1', CAMILLE), of('A-2', ANDREA), of('A-3', DANA));
  await sessionWhile(folder, () => write(of('A-1', CAMILLE), of('A-2', ANDREA), of('N-77', DANA)));
  expect((await run('run', input, '--run', folder)).code).toBe(7);
  expect(created()).toEqual(['A-1', 'A-2', 'A-3']);
});

test('so is one to which the export still adds lines: the session is unfinished, whatever it has read', async () => {
  const { folder, created } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA));
  write(of('A-1', CAMILLE), of('A-2', ANDREA), of('A-3', DANA));
  const more = () => appendFileSync(input, line(of('A-4', BRUNO)));
  expect(await sessionWhile(folder, more)).toEqual({
    ...{ state: 'unfinished', input: 3 },
    reason:
      'a file of the input has been written since this session began to read it: lines that were not read are in none of the numbers',
  });
  expect(await run('status', '--run', folder)).toMatchObject({
    out: expect.stringContaining('was unfinished: a file'),
  });
  expect(await run('run', input, '--run', folder)).toMatchObject({ code: 0 });
  expect(created()).toEqual(['A-1', 'A-2', 'A-3', 'A-4']);
});

test.each([
  ['added', () => {}],
  ['added, and the other was moved away', (path: string) => rmSync(path)],
])(
  'a file of a folder that is %s while the run works: the session is unfinished and names it; the next one reads it',
  async (how, move) => {
    const folder = at(`added-${how.length}`);
    const export_ = at(`export-${how.length}`);
    runs++;
    const { created } = serviceWith();
    mkdirSync(export_);
    const file = (name: string, ...lines: object[]) => writeFileSync(join(export_, name), lines.map(line).join(''));
    file('a.jsonl', of('A-1', CAMILLE), of('A-3', DANA));
    const add = () => {
      file('b.jsonl', of('A-4', BRUNO));
      file('.c.jsonl', of('A-5', ANDREA));
      move(join(export_, 'a.jsonl'));
    };
    expect(await sessionWhile(folder, add, export_)).toEqual({
      ...{ state: 'unfinished', input: 2 },
      reason: `${join(export_, 'b.jsonl')} was added to a folder of the input since this session opened it: lines that were not read are in none of the numbers`,
    });
    expect((await run('run', export_, '--run', folder)).code).toBe(0);
    expect(created()).toEqual(['A-1', 'A-3', 'A-4']);
  },
);

test('--changed-sources sends other numbers without a question; the command to run again leaves it out: one session needs it', async () => {
  const { folder, created } = await firstDay(of('A-1', CAMILLE));
  write(of('B-1', CAMILLE), of('B-2', { ...DANA, landline: 'x' }));
  const { code, out } = await run('run', input, '--run', folder, '--changed-sources');
  expect([code, created()]).toEqual([3, ['A-1', 'B-1']]);
  expect(out).toMatch(/^To run again: data-import-sdk run \S+ --run \S+$/m);
});

test('a customer whose removal was accepted is not created a second time under another number', async () => {
  const { day, typed, created } = await firstDay(of('A-1', CAMILLE), of('A-2', ANDREA), of('A-3', DANA));
  expect((await day(of('A-2', ANDREA), of('A-3', DANA))).code).toBe(3);
  expect(await typed('resolve', '--accept', 'removed')).toMatchObject({ code: 0 });

  const third = await day(of('N-77', CAMILLE), of('A-2', ANDREA), of('A-3', DANA));
  expect(third.code).toBe(7);
  expect(third.err).toContain('account N-77, formerly A-1 (nothing else differs)');
  expect(created()).toHaveLength(3);
});

test('a record that was never created may get another number', async () => {
  const { day } = await firstDay(of('A-2', ANDREA));
  const wrong = of('A-1', CAMILLE, { customers: [{ ...CAMILLE, email: 'no address' }], last_billed_to_date: 'x' });
  expect((await day(of('A-2', ANDREA), wrong)).code).toBe(3);
  const third = await day(of('A-2', ANDREA), of('N-1', CAMILLE));
  expect(balance(third.out)).toBe('2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2');
});

test('a rehearsal says how to begin it anew', { tags: 'long' }, async () => {
  const input = at('rehearsal.jsonl');
  const folder = at('rehearsal');
  writeFileSync(input, line(of('A-1', CAMILLE)) + line(of('A-2', ANDREA)));
  expect((await run('run', input, '--sandbox', '--run', folder)).code).toBe(0);
  writeFileSync(input, line(of('A-1', CAMILLE)));
  expect((await run('run', input, '--sandbox', '--run', folder)).out).toContain(
    `This is a rehearsal: to begin it anew, delete the folder ${folder}`,
  );
  rmSync(folder, { recursive: true });
  expect((await run('run', input, '--sandbox', '--run', folder)).code).toBe(0);
});

/** Customers as exports have them. */
const PERSONS = [
  ['Alix', 'Exemple', '1983-07-04', '12345678901231'],
  ['Basile', 'Modele', '1961-11-17', '98765432109876'],
  ['Chlo\u00e9', 'D\u00e9mo', '1990-01-09', '55555555501234'],
].map(([given_name, family_name, date_of_birth, identifier]) => ({
  customer: { given_name, family_name, date_of_birth },
  point: { supply_addresses: [{ supply_points: [{ identifier, supply_type: 'ELECTRICITY' }] }] },
})) as [Person, Person, Person];
interface Person {
  customer: object;
  point: object;
}
const [ALIX, BASILE, CHLOE] = PERSONS;
const charge = (transaction_id: string, amount = 10) => ({
  ...{ transaction_id, amount, type: 'CHARGE', transaction_date: '2026-01-05' },
});
const ofPerson = (number: string, { customer, point }: Person, ...ids: string[]) => ({
  ...of(number, customer, point),
  ...(ids.length > 0 && { transactions: ids.map((id) => charge(id, 10 + Number(id.at(-1)))) }),
});

describe('a line that is of another customer than the record with its number', () => {
  const counted = (...persons: Person[]) =>
    persons.map((person, index) => ofPerson(String(index + 1), person, `OPEN-${PERSONS.indexOf(person)}`));
  const sent = (own: Awaited<ReturnType<typeof firstDay>>['sandbox']) =>
    own.state.suppliers.flatMap(({ accounts }) =>
      accounts.map(({ imported }) => (imported?.transactions ?? []).map(({ data }) => data.transaction_id).join()),
    );

  test('is asked about before its items are sent: the first customer of an export that counts its rows has left', async () => {
    const { day, folder, sandbox: own } = await firstDay(...counted(ALIX, BASILE, CHLOE));
    const before = sent(own);
    expect(before).toEqual(['OPEN-0', 'OPEN-1', 'OPEN-2']);
    const { code, err, out } = await day(...counted(BASILE, CHLOE));
    expect(code).toBe(7);
    expect(err).toContain(
      `2 lines have the number of a record that exists, and another customer: day.jsonl:1 account 1; day.jsonl:2 account 2. Items of them would be booked on the account of the former customer.`,
    );
    expect(out).not.toContain('--add-to-existing');
    const adding = ['run', input, '--run', folder, '--add-to-existing'] as const;
    expect((await run(...adding)).code).toBe(7);
    expect((await runIn({ ask: async () => 'n' }, ...adding)).code).toBe(7);
    expect(sent(own)).toEqual(before);

    const accepted = await run('run', input, '--run', folder, '--changed-sources');
    expect(accepted.code).toBe(3);
    expect(accepted.out).toContain(
      '2 of them are of another customer than the record with the number: no item is sent without --changed-sources and --add-to-existing.',
    );
    expect(accepted.out).toMatch(
      /^Next \(2 changed, and of another customer than the record\): .* accept the line: .*resolve --run .* --accept changed --account '<number>'$/m,
    );
    expect(accepted.out).not.toMatch(/Next \(\d with items that were not sent\)/);
    expect(sent(own)).toEqual(before);
  });

  test('is sent if the person who is asked agrees', async () => {
    const { folder, sandbox: own } = await firstDay(ofPerson('A-1', ALIX, 'T-1'));
    write(ofPerson('A-1', BASILE, 'T-1', 'T-2'));
    const adding = ['run', input, '--run', folder, '--add-to-existing'] as const;
    expect((await run(...adding)).code).toBe(7);
    expect(sent(own)).toEqual(['T-1']);
    expect((await runIn({ ask: async () => 'y' }, ...adding)).code).toBe(3);
    expect(sent(own)).toEqual(['T-1,T-2']);
  });

  test('is a changed line if it has no items that could be sent, and is accepted only by its number', async () => {
    const { day, typed } = await firstDay(ofPerson('A-1', ALIX), ofPerson('A-2', BASILE));
    const next = expect.stringContaining('Next (1 changed, and of another customer than the record): ');
    const { code, out } = await day(ofPerson('A-1', CHLOE), ofPerson('A-2', BASILE));
    expect([code, out]).toEqual([3, next]);
    const accepted = await typed('resolve', '--accept', 'changed');
    expect(accepted.out).toEqual(next);
    expect(accepted.out).toContain('Accepted 0 changed lines.');
    expect((await typed('resolve', '--accept', 'changed', '--account', 'A-1')).code).toBe(0);
  });

  test('ends its unfinished record if it has no items that could be sent', async () => {
    const folder = at(`run-${runs++}`);
    const { own } = serviceWith();
    const day = async (...records: object[]) => {
      const client = new DataImportClient({ baseUrl: url, token: own.token, advanced: { inFlightGraceMs: 1 } });
      try {
        return await runMigration({
          client,
          input: inputFromRecords(records),
          folder,
          team: 'SANDBOX_TEAM',
          dryRun: 'none',
        });
      } finally {
        await client.close();
      }
    };
    own.faults.add({ match: { operation: 'accounts.process' }, phase: 'afterCommit', when: 'first', effect: 'drop' });
    own.faults.add({ match: { operation: 'imports.status' }, effect: { status: 401 } });
    expect(await day(ofPerson('A-1', ALIX))).toMatchObject({ state: 'halted' });
    own.faults.clear();
    await expect(day({ ...ofPerson('A-1', BASILE), notes: [{ body: 'Has moved.' }] })).rejects.toThrow(
      '1 line has the number of a record that exists, and another customer: input record 1 account A-1.',
    );
    expect(await day(ofPerson('A-1', BASILE))).toMatchObject({
      state: 'finished',
      summary: { created: 1, changed: { count: 1, others: 1 } },
    });
  });

  test('is one of the same customer from the day on which a person accepts it', async () => {
    const named = (family_name: string, ...ids: string[]) => ({
      ...of('A-1', { given_name: 'Alix', family_name, date_of_birth: '1983-07-04' }),
      transactions: ids.map((id) => charge(id)),
    });
    const { day, folder, typed, sandbox: own } = await firstDay(named('Exampel', 'T-1'));
    expect((await day(named('Exemple', 'T-1'))).code).toBe(3);
    expect((await day(named('Exemple', 'T-1', 'T-2'))).code).toBe(7);
    expect((await run('run', input, '--run', folder, '--changed-sources')).code).toBe(3);
    // T-2 is of the other customer, so that the account does not lack it.
    expect(valueIn(`${folder}/report.json`).summary).toMatchObject({
      incomplete: 0,
      changed: { others: 1, unsent: 0 },
    });
    expect((await typed('resolve', '--accept', 'changed', '--account', 'A-1')).code).toBe(0);
    expect((await run('run', input, '--run', folder)).code).toBe(0);
    write(named('Exemple', 'T-1', 'T-2', 'T-3'));
    expect((await run('run', input, '--run', folder, '--add-to-existing')).code).toBe(3);
    // To accept a line gives up what it had and was not sent.
    expect(sent(own)).toEqual(['T-1,T-3']);
    expect((await day(named('Exampel', 'T-1', 'T-2', 'T-3'))).code).toBe(0);
  });

  test('is none, if it has one of the customers or supply points, whatever else differs', async () => {
    const two = { customers: [ALIX.customer, BASILE.customer] };
    const { folder, sandbox: own } = await firstDay(
      of('A-1', {}, two),
      ofPerson('A-2', CHLOE),
      of('A-3', ALIX.customer, BASILE.point),
    );
    write(
      { ...of('A-1', BASILE.customer), transactions: [charge('T-1')] },
      { ...of('A-2', { given_name: 'CHLOE', family_name: 'Demo ' }, ALIX.point), transactions: [charge('T-2')] },
      { ...of('A-3', { given_name: 'Alix', family_name: 'Muster' }, BASILE.point), transactions: [charge('T-3')] },
    );
    expect((await run('run', input, '--run', folder, '--add-to-existing')).code).toBe(3);
    expect(sent(own)).toEqual(['T-1', 'T-2', 'T-3']);
  });
});

describe('a customer who is found again whatever else has changed:', () => {
  const without = ({ customer }: Person, more: object = {}, number = 'N-3') => ({
    ...of(number, { ...customer, ...more }),
    transactions: [charge('OPEN-C')],
  });
  const former = without(CHLOE, {}, 'A-3');
  const point = (identifier: string) => ({ supply_addresses: [{ supply_points: [{ identifier }] }] });
  const company = (number: string, business: object) => ({
    business: { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: number, business },
  });
  const name = { company_name: 'D\u00e9mo & Fils' };

  test.each<[what: string, former: object, now: object, how: string]>([
    ['a mobile number', former, without(CHLOE, { mobile: '+33639981234' }), 'a customer'],
    ['a title', former, without(CHLOE, { title: 'Mme' }), 'a customer'],
    [
      'capitals without accents',
      former,
      without(CHLOE, { family_name: 'DEMO', given_name: 'CHLO\u00c9' }),
      'a customer',
    ],
    ['a space after a name', former, without(CHLOE, { family_name: 'D\u00e9mo ' }), 'a customer'],
    ['swapped names', former, without(CHLOE, { family_name: 'Chlo\u00e9', given_name: 'D\u00e9mo' }), 'a customer'],
    ['no birth date', former, without(CHLOE, { date_of_birth: undefined }), 'a customer'],
    ['a birth date', without(CHLOE, { date_of_birth: undefined }, 'A-3'), without(CHLOE), 'a customer'],
    [
      'a second customer',
      former,
      of('N-3', {}, { customers: [BASILE.customer, CHLOE.customer], billing_postcode: '31000' }),
      'a customer',
    ],
    [
      'a supply point with spaces and a country',
      of('A-3', CHLOE.customer, point('55555555501234')),
      of('N-3', { family_name: 'MUSTER' }, point('FR 555 555 555 01234')),
      'a supply point',
    ],
    [
      'a supply point in another case',
      of('A-3', CHLOE.customer, point('es0021-0000-0000-1234-jn')),
      of('N-3', { family_name: 'MUSTER' }, point('ES0021000000001234JN')),
      'a supply point',
    ],
    [
      'a zero less in the number, and another name and address',
      of('A-003', CHLOE.customer),
      of('A-3', { family_name: 'Muster' }, { billing_postcode: '31000' }),
      'the number differs',
    ],
    [
      'a longer company name',
      company('B-1', { ...name, siret: '73282932000074' }),
      company('X-9', { company_name: 'DEMO & FILS SARL', siret: '732 829 320 00074' }),
      'the company is the same',
    ],
    [
      'a company in capitals',
      company('B-1', name),
      company('X-9', { company_name: 'DEMO FILS' }),
      'the company is the same',
    ],
    ['a SIRET', company('B-1', name), company('X-9', { ...name, siret: '73282932000074' }), 'the company is the same'],
    [
      'the name, and a second contract',
      company('B-1', { ...name, business_contracts: [{ identifier: 'F-2' }] }),
      company('X-9', { company_name: 'Muster', business_contracts: [{ identifier: 'F-1' }, { identifier: 'F-2' }] }),
      'a business contract is the same',
    ],
    [
      'the only customer of the only account of a company',
      of('A-1', ALIX.customer, { business: { siret: '73282932000074' } }),
      of('N-3', BASILE.customer, { business: { siret: '732 829 320 00074' } }),
      'the company is the same',
    ],
  ])('%s', async (_, before, now, how) => {
    const { day, created } = await firstDay(before, of('A-2', ANDREA));
    const known = created();
    const { code, err } = await day(now, of('A-2', ANDREA));
    expect([code, err]).toEqual([7, expect.stringContaining(`(${how}`)]);
    expect(created()).toEqual(known);
  });
});

/** Accounts of one company. */
const COMPANY = { business: { business_contract_identifier: 'F-1', siret: '73282932000074' } };
const ofCompany = (number: string, { customer, point }: Person) => of(number, customer, { ...point, ...COMPANY });
const MANAGER = {
  business: {
    ...{ import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' },
    business: { company_name: 'Modele', business_contracts: [{ identifier: 'F-1' }] },
  },
};

describe('who is not created a second time under another number or supplier:', () => {
  const ofBusiness = (import_supplier_code: string) => ({
    business: { import_supplier_code, external_business_identifier: 'B-1', business: { company_name: 'Exemple' } },
  });
  const other = of('A-2', ANDREA);
  const movedHouse = of('A-1', { given_name: 'Camille' }, { import_supplier: 'OTHER', billing_postcode: '31000' });
  /** The rows of an export that counts them. */
  const counted = (...customers: object[]) => customers.map((customer, index) => of(`${index + 1}`, customer));
  const businesses = (from: string, ...sirets: string[]) =>
    sirets.map((siret, index) => ({
      business: {
        ...{ import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: `B-${index + 1}` },
        business: {
          ...{ company_name: `Exemple ${siret.slice(-2)}`, siret },
          business_contracts: [{ identifier: `K-${siret.slice(-2)}`, valid_from_date: from, versions: [] }],
        },
      },
    }));
  const [FIRST, SECOND, THIRD] = ['55208131766522', '73282932000074', '40483304800022'] as const;
  const withTexts = (family_name: string, before: string, number: string) => ({
    ...of(number, { family_name, email: `customer-${before}@example.com` }),
    transactions: [charge(`TX${before}`)],
  });
  const charged = (record: object, ...ids: string[]) => ({ ...record, transactions: ids.map((id) => charge(id)) });
  const JEAN = { given_name: 'Jean', date_of_birth: '1900-01-01' };
  const [JEAN_1, JEAN_2] = [ALIX, BASILE].map(({ customer }) => ({ ...customer, ...JEAN })) as [object, object];
  const ONLY = { business: { business_contract_identifier: 'F-1' } };

  test.each<[what: string, former: object[], now: object[], ...named: string[]]>([
    [
      'a customer who has moved to another supplier',
      [of('A-1', CAMILLE), other],
      [of('A-1', CAMILLE, { import_supplier: 'OTHER' }), other],
      'account A-1 of OTHER, formerly A-1 of SANDBOX_SUPPLIER (nothing else differs)',
    ],
    [
      'one who has moved house, too, and a business of another supplier',
      [ofBusiness('SANDBOX_SUPPLIER'), of('A-1', CAMILLE), other, of('A-3', BRUNO)],
      [ofBusiness('OTHER'), movedHouse, other, of('A-3', BRUNO)],
      'business B-1 of OTHER, formerly B-1 of SANDBOX_SUPPLIER (the number is the same)',
      'account A-1 of OTHER, formerly A-1 of SANDBOX_SUPPLIER (the number is the same)',
    ],
    [
      'the last one of an export that counts its rows, and has a new one before the others',
      counted(CAMILLE, ANNE, DANA),
      counted(BRUNO, CAMILLE, ANNE, DANA),
      'account 4, formerly 3 (nothing else differs)',
    ],
    [
      'the last one, after a new one at the same address',
      counted(ALIX.customer, BASILE.customer),
      counted(
        { given_name: 'Denis', family_name: 'Essai', date_of_birth: '1990-02-03' },
        ALIX.customer,
        BASILE.customer,
      ),
      'account 3, formerly 2 (',
    ],
    [
      'the last one, after a new one with the first name and the birth date of the others',
      counted(JEAN_1, JEAN_2),
      counted({ ...JEAN, family_name: 'Essai' }, JEAN_1, JEAN_2),
      'account 3, formerly 2 (',
    ],
    [
      'so it is with businesses, whose contracts differ, too',
      businesses('2026-01-01', SECOND, THIRD),
      businesses('2026-02-01', FIRST, SECOND, THIRD),
      'business B-3, formerly B-2 (the company is the same)',
    ],
    [
      'one with texts that still have the former number, which got or lost a prefix or is of another system',
      [
        withTexts('Exemple', '4711', '4711'),
        withTexts('Muster', 'FR-815', 'FR-815'),
        withTexts('Modele', 'C-12', 'C-12'),
        other,
      ],
      [
        withTexts('Exemple', '4711', 'FR-4711'),
        withTexts('Muster', 'FR-815', '815'),
        withTexts('Modele', 'C-12', '900144'),
        other,
      ],
      'account FR-4711, formerly 4711',
      'account 815, formerly FR-815',
      'account 900144, formerly C-12',
    ],
    [
      'one whose number looks the same: it is spelled, if it differs in the form of accents or in spaces',
      [of('\u00dc-8', CAMILLE), of('AB 5', DANA), of('A-1', { given_name: 'Noor' }), other],
      [of('U\u0308-8', CAMILLE), of('AB\u00a05', DANA), of('A-1 ', { given_name: 'Noor' }), other],
      'account "U\\u0308-8", formerly "\\u00dc-8" (nothing else differs)',
      'account "AB\\u00a05", formerly "AB 5" (nothing else differs)',
      'account "A-1 ", formerly "A-1" (nothing else differs)',
    ],
    [
      'one with further items',
      [charged(of('A-1', CAMILLE), 'x'), other],
      [charged(of('N-77', CAMILLE), 'x', 'y'), other],
      'N-77, formerly A-1 (a customer is the same)',
    ],
    [
      'the only account of a contract',
      [MANAGER, of('A-1', ALIX.customer, ONLY)],
      [MANAGER, of('A-3', BASILE.customer, ONLY)],
      'A-3, formerly A-1 (a business contract is the same)',
    ],
    [
      'the same person of a company',
      [MANAGER, ofCompany('A-1', ALIX), ofCompany('A-2', BASILE)],
      [MANAGER, ofCompany('A-1', ALIX), of('A-3', BASILE.customer, COMPANY)],
      'account A-3, formerly A-2 (a customer is the same)',
    ],
  ])('%s', async (_, former, now, ...named) => {
    const { day, created } = await firstDay(...former);
    const before = created();
    const { code, err } = await day(...now);
    expect(code).toBe(7);
    for (const text of named) expect(err).toContain(text);
    expect(created()).toEqual(before);
  });

  const refusedOf = (number: string) => of(number, { ...ANDREA, mobile: 'see file' });

  test.each<[what: string, number: string, ...now: object[]]>([
    ['an export that counts its rows has lost one', '2', of('2', CAMILLE), of('3', ANDREA)],
    ['two customers have changed their numbers', '2', of('1', ANDREA), of('2', CAMILLE)],
    ['another one has the number in another form', '02', of('02', CAMILLE), of('3', ANDREA)],
  ])('one who gets the number of a record that was rejected: %s', async (_, rejected, ...now) => {
    const folder = at(`run-${runs++}`);
    const { created } = serviceWith();
    write(of('1', CAMILLE), refusedOf(rejected));
    expect((await run('run', input, '--run', folder)).code).toBe(3);
    write(...now);
    const { code, err } = await run('run', input, '--run', folder);
    expect(code).toBe(7);
    expect(err).toContain(`account ${rejected}, formerly 1 (`);
    expect(created()).toEqual(['1']);
  });

  test('one who gets the number of a record that was not sent yet', async () => {
    const folder = at(`run-${runs++}`);
    const { created } = serviceWith();
    write(of('1', CAMILLE), of('2', ANDREA));
    expect((await run('run', input, '--run', folder, '--canary', '1')).code).toBe(7);
    write(of('2', CAMILLE), of('3', ANDREA));
    const { code, err } = await run('run', input, '--run', folder);
    expect(code).toBe(7);
    expect(err).toContain('account 2, formerly 1 (');
    expect(created()).toEqual(['1']);
  });

  test.each<[what: string, first: object, second: object[], third: object]>([
    [
      'of a rejected record whose line is unchanged',
      of('1', CAMILLE),
      [of('1', CAMILLE), of('2', { ...CAMILLE, mobile: 'see file' })],
      of('2', { ...CAMILLE, mobile: 'see file' }),
    ],
    [
      'of a customer whose line stood under another number, and was not sent',
      ofPerson('1', ALIX),
      [ofPerson('1', BASILE)],
      ofPerson('9', BASILE),
    ],
  ])('nor is anything asked about a line %s', async (_, first, second, third) => {
    const { day } = await firstDay(first);
    const day2 = await day(...second);
    expect([day2.code, day2.err]).toEqual([3, expect.not.stringContaining('formerly')]);
    const day3 = await day(third);
    expect([day3.code, day3.err]).toEqual([3, expect.not.stringContaining('formerly')]);
  });

  test('nor is anything asked if the line of a rejected record is corrected, and another customer has left', async () => {
    const folder = at(`run-${runs++}`);
    const { created } = serviceWith();
    write(of('1', CAMILLE), refusedOf('2'), of('3', DANA));
    expect((await run('run', input, '--run', folder)).code).toBe(3);
    write(of('2', ANDREA), of('3', DANA));
    expect((await run('run', input, '--run', folder)).code).toBe(3);
    expect(created()).toEqual(['1', '3', '2']);
  });
});

describe('an account without a person, company and supply point', () => {
  const vacant = (number: string, street: string, more: object = {}) =>
    account(number, { billing_address1: street, billing_postcode: '69003', ...more });
  const withCharge = (record: object, id: string) => ({ ...record, transactions: [charge(id)] });
  const FIRST = withCharge(vacant('A-1', '1 rue A'), 'P-1');
  const SECOND = vacant('A-2', '2 rue B');

  test('is not created a second time if its number was given to another one', async () => {
    const { day, created } = await firstDay(FIRST, SECOND);
    const { code, err } = await day(withCharge(vacant('A-9', '1 rue A'), 'P-1'), vacant('A-1', '2 rue B'));
    expect(code).toBe(7);
    expect(err).toContain('account A-9, formerly A-1 (nothing else differs)');
    expect(created()).toEqual(['A-1', 'A-2']);
  });

  test.each<[accepted: boolean]>([[true], [false]])(
    'nor if it was changed before, accepted: %s, and then got another number',
    async (isAccepted) => {
      const { day, typed, created } = await firstDay(FIRST, SECOND);
      const changed = (number: string) => withCharge(vacant(number, '1 rue A', { billing_postcode: '75001' }), 'P-1');
      expect((await day(changed('A-1'), SECOND)).code).toBe(3);
      if (isAccepted) await typed('resolve', '--accept', 'changed');
      const { code, err } = await day(changed('A-9'), SECOND);
      expect(code).toBe(7);
      expect(err).toContain('account A-9, formerly A-1 (nothing else differs)');
      expect(created()).toEqual(['A-1', 'A-2']);
    },
  );

  test.each<[what: string, former: object, now: object, code: number]>([
    ['a customer elsewhere', vacant('A-1', '1 rue A'), of('A-1', CAMILLE, { billing_postcode: '75001' }), 7],
    ['a customer at this address', vacant('A-1', '1 rue A'), vacant('A-1', '1 rue A', { customers: [CAMILLE] }), 0],
    [
      'a customer elsewhere, and had one value before',
      account('A-1', { billing_postcode: '69003' }),
      of('A-1', CAMILLE, { billing_postcode: '75001' }),
      7,
    ],
    [
      'another address in the same town',
      vacant('A-1', '1 rue A', { billing_address3: 'Exemple' }),
      vacant('A-1', '2 rue B', { billing_address3: 'Exemple', billing_postcode: '75001' }),
      7,
    ],
    ['another address', vacant('A-1', '1 rue A'), vacant('A-1', '2 rue B', { billing_postcode: '75001' }), 7],
    ['another spelling of its street', vacant('A-1', '1 rue A'), vacant('A-1', '1, rue A'), 0],
    ['an address for the first time', account('A-1'), vacant('A-1', '1 rue A'), 0],
    [
      'one other value, of only one',
      account('A-1', { billing_postcode: '69003' }),
      account('A-1', { billing_postcode: '75001' }),
      0,
    ],
  ])('that has %s: its new items are sent or asked about', async (_, former, now, code) => {
    const { folder, sandbox: own } = await firstDay(former, SECOND);
    write(withCharge(now, 'P-2'), SECOND);
    const sent = () =>
      own.state.suppliers.flatMap(({ accounts }) => accounts.map(({ imported }) => imported?.transactions.length));
    const adding = await run('run', input, '--run', folder, '--add-to-existing');
    expect(adding.code === 7 ? 7 : 0).toBe(code);
    expect(sent()).toEqual([code === 7 ? 0 : 1, 0]);
  });
});

describe('a usual second day', () => {
  const pointOf = (identifier: string) => ({ supply_addresses: [{ supply_points: [{ identifier }] }] });

  test.each<[what: string, former: object[], now: object[]]>([
    [
      'a new customer beside a removed one',
      [of('A-1', CAMILLE), of('A-2', ANDREA)],
      [of('A-2', ANDREA), of('A-3', DANA)],
    ],
    [
      'a new customer with the former content of one whose line changed',
      [of('A-1', CAMILLE), of('A-2', ANDREA)],
      [of('N-5', CAMILLE), of('A-1', CAMILLE, { billing_postcode: '69004' }), of('A-2', ANDREA)],
    ],
    [
      'a supply point more, of a supplier whose account numbers are those of the points',
      [
        of('01234567890123', CAMILLE, pointOf('01234567890123')),
        of('01234567890124', ANDREA, pointOf('01234567890124')),
      ],
      [of('01234567890123', CAMILLE, pointOf('01234567890123')), of('01234567890999', DANA, pointOf('01234567890999'))],
    ],
  ])('%s is sent without a question', async (_, former, now) => {
    const { day, created } = await firstDay(...former);
    expect((await day(...now)).code).toBe(3);
    expect(created()).toHaveLength(3);
  });

  test.each<[what: string, ...now: object[]]>([
    ['a second account of a customer', ofPerson('A-1', ALIX), of('A-8', ALIX.customer)],
    ['a twin', ofPerson('A-1', ALIX), of('A-8', { ...ALIX.customer, given_name: 'Noor' })],
    ['a second account at a supply point', ofPerson('A-1', ALIX), of('A-8', BASILE.customer, ALIX.point)],
  ])('%s is sent without a question', async (_, ...now) => {
    const { day, created } = await firstDay(ofPerson('A-1', ALIX));
    expect((await day(...now)).code).toBe(0);
    expect(created()).toEqual(['A-1', 'A-8']);
  });

  describe('one account of a company has left and another one has joined: nothing is asked', () => {
    test.each<[what: string, stays: object[], leaves: object, joins: object[]]>([
      ['beside one that stays', [ofCompany('A-1', ALIX)], ofCompany('A-2', BASILE), [ofCompany('A-3', CHLOE)]],
      ['or two', [], ofCompany('A-2', BASILE), [ofCompany('A-3', CHLOE), ofCompany('A-4', ALIX)]],
    ])('%s', async (_, stays, leaves, joins) => {
      const { day, created } = await firstDay(MANAGER, ...stays, leaves);
      expect(await day(MANAGER, ...stays, ...joins)).toMatchObject(
        ended(3, '1 record exists on the service and is no longer in the input ('),
      );
      expect(created()).toHaveLength(1 + stays.length + joins.length);
    });

    test('but about items of an account whose number now has another person and supply point of the company', async () => {
      const first = [ofCompany('1', ALIX), ofCompany('2', BASILE), ofCompany('3', CHLOE)];
      const { day, created } = await firstDay(MANAGER, ...first);
      const now = { ...ofCompany('1', BASILE), transactions: [charge('T-1')] };
      const { code, err } = await day(MANAGER, now, ofCompany('2', CHLOE));
      expect([code, err]).toEqual([
        7,
        expect.stringContaining('1 line has the number of a record that exists, and another customer: day.jsonl:2'),
      ]);
      expect(created()).toHaveLength(3);
    });

    test('nor about items of an account of the company that has another person at the same place or at none', async () => {
      const { day } = await firstDay(MANAGER, ofCompany('A-1', ALIX), of('A-2', BASILE.customer, COMPANY));
      const others = [
        { ...of('A-1', CHLOE.customer, { ...ALIX.point, ...COMPANY }), transactions: [charge('T-1')] },
        { ...of('A-2', CHLOE.customer, { ...ALIX.point, ...COMPANY }), transactions: [charge('T-2')] },
      ];
      expect((await day(MANAGER, ...others)).code).toBe(3);
    });
  });

  test('a new customer lives where one has left: the run asks once', async () => {
    const { folder, day, typed, created } = await firstDay(ofPerson('A-1', ALIX), ofPerson('A-2', CHLOE));
    const now = [of('A-8', BASILE.customer, ALIX.point), ofPerson('A-2', CHLOE)];
    expect((await day(...now)).code).toBe(7);
    expect((await runIn({ ask: async () => 'y' }, 'run', input, '--run', folder)).code).toBe(3);
    expect(created()).toEqual(['A-1', 'A-2', 'A-8']);
    expect(await typed('resolve', '--accept', 'removed')).toMatchObject({ code: 0 });
    expect((await day(...now)).code).toBe(0);
  });
});

describe('an item that another record was sent with, and no longer has', () => {
  const statement = (id: string) => ({ ...STATEMENT, statement_id: id, number: id });
  const mandate = (reference: string) => ({ vendor: 'V', reference, type: 'CARD' });
  const { transaction_id: _, ...plain } = charge('T-9', 43.17);
  type Field = 'transactions' | 'statements' | 'payment_instructions' | 'notes';
  const MOVED: [what: string, field: Field, kept: object, item: object][] = [
    ['a transaction', 'transactions', charge('T-1', 11), charge('T-2', 12)],
    ['a transaction that has another amount there', 'transactions', charge('T-1', 11), charge('T-2', 12)],
    ['a transaction without an identifier', 'transactions', charge('T-1', 11), plain],
    ['a statement', 'statements', statement('S-1'), statement('S-2')],
    ['a payment instruction', 'payment_instructions', mandate('R-1'), mandate('R-2')],
    ['a note', 'notes', { body: 'Prefers letters.' }, { body: 'Calls twice.' }],
    [
      'a note that has only a document',
      'notes',
      { body: 'Prefers letters.' },
      { document_paths: [{ document_path: 'a/b.pdf' }] },
    ],
  ];
  const there = (item: object, what: string) => (what.includes('another amount') ? { ...item, amount: 13 } : item);
  const count = (own: Awaited<ReturnType<typeof firstDay>>['sandbox'], field: Field) =>
    own.state.suppliers
      .flatMap(({ accounts }) => accounts.map(({ imported }) => imported?.[field].length ?? 0))
      .reduce((sum, one) => sum + one, 0);

  const WAYS: [way: string, (field: Field, items: [kept: object, item: object, now: object]) => Way][] = [
    [
      'of a new record',
      (field, [kept, item, now]) => ({
        first: [{ ...of('A-1', CAMILLE), [field]: [kept, item] }],
        second: [
          { ...of('A-1', CAMILLE), [field]: [kept] },
          { ...of('N-9', DANA), [field]: [now] },
        ],
        named: ['day.jsonl:2 account N-9', 'day.jsonl:1'],
      }),
    ],
    [
      'of a record that exists',
      (field, [kept, item, now]) => ({
        first: [of('A-2', ANDREA), { ...of('A-1', CAMILLE), [field]: [kept, item] }],
        second: [
          { ...of('A-1', CAMILLE), [field]: [kept] },
          { ...of('A-2', ANDREA), [field]: [now] },
        ],
        named: ['day.jsonl:2 account A-2', 'day.jsonl:1'],
        adds: true,
      }),
    ],
    [
      'of a new record, whose former one the input has no more',
      (field, [kept, item, now]) => ({
        first: [of('A-2', ANDREA), { ...of('A-1', CAMILLE), [field]: [kept, item] }],
        second: [{ ...of('N-9', DANA), [field]: [now] }, of('A-2', ANDREA)],
        named: ['day.jsonl:1 account N-9', 'day.jsonl:2'],
      }),
    ],
    [
      'of a record that exists, whose former one the input has no more',
      (field, [kept, item, now]) => ({
        first: [of('A-2', ANDREA), { ...of('A-1', CAMILLE), [field]: [kept, item] }],
        second: [{ ...of('A-2', ANDREA), [field]: [now] }],
        named: ['day.jsonl:1 account A-2', 'day.jsonl:2'],
        adds: true,
      }),
    ],
  ];
  interface Way {
    first: object[];
    second: object[];
    named: [line: string, former: string];
    adds?: true;
  }

  for (const [way, daysOf] of WAYS) {
    test.each(MOVED)(`%s is not sent unasked in the line ${way}`, async (what, field, kept, item) => {
      const { first, second, named, adds } = daysOf(field, [kept, item, there(item, what)]);
      const { sandbox: own, folder } = await firstDay(...first);
      expect(count(own, field)).toBe(2);
      write(...second);
      const words = ['run', input, '--run', folder, ...(adds ? ['--add-to-existing'] : [])] as const;
      const { code, err, out } = await run(...words);
      expect(code).toBe(7);
      expect(err).toContain(
        `1 line has what another record was sent with and no longer has: ${named[0]} (${field}.0), formerly in account A-1 (${named[1]}). The service has it at the former record: it would have it twice. Nothing was sent.`,
      );
      expect(out).toContain('Next (1 with items of another record): ');
      expect(out).toMatch(/ --changed-sources$/m);
      expect((await runIn({ ask: async () => 'n' }, ...words)).code).toBe(7);
      expect(count(own, field)).toBe(2);
      expect((await runIn({ ask: async () => 'y' }, ...words)).code).toBe(3);
      expect(count(own, field)).toBe(3);
    });
  }

  test('is named with the number of others that moved with it, and not sent to a third record either', async () => {
    const items = (...ids: number[]) => ({ transactions: ids.map((id) => charge(`T-${id}`, id)) });
    const { day, folder, sandbox: own } = await firstDay({ ...of('A-1', CAMILLE), ...items(1, 2, 3) });
    const lines = [
      { ...of('A-1', CAMILLE), ...items(1) },
      { ...of('N-8', DANA), ...items(2, 3) },
    ];
    expect((await day(...lines)).err).toContain('N-8 (transactions.0 and 1 more), formerly in account A-1 (');
    expect((await runIn({ ask: async () => 'y' }, 'run', input, '--run', folder)).code).toBe(3);
    const { code, err } = await day(lines[0] as object, of('N-8', DANA), { ...of('N-9', ANDREA), ...items(2) });
    expect([code, err]).toEqual([
      7,
      expect.stringContaining('account N-9 (transactions.0), formerly in account A-1 ('),
    ]);
    expect(count(own, 'transactions')).toBe(5);
  });

  test('is given up in its new line if the operator has moved it, and the lines are accepted', async () => {
    const {
      day,
      typed,
      folder,
      sandbox: own,
    } = await firstDay({ ...of('A-1', CAMILLE), transactions: [charge('T-1'), charge('T-2')] }, of('A-2', ANDREA));
    const lines = [
      { ...of('A-1', CAMILLE), transactions: [charge('T-1')] },
      { ...of('A-2', ANDREA), transactions: [charge('T-2')] },
    ];
    expect((await day(...lines)).code).toBe(3);
    expect(await typed('resolve', '--accept', 'changed')).toMatchObject({ code: 0 });
    expect((await run('run', input, '--run', folder, '--add-to-existing')).code).toBe(0);
    expect(count(own, 'transactions')).toBe(2);
  });

  test('a payment instruction of a business is asked about, too', async () => {
    const company = (number: string, siret: string, ...references: string[]) => ({
      business: {
        ...{ import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: number },
        business: {
          business_type: 'LIMITED',
          company_name: number,
          siret,
          business_contracts: [{ identifier: number }],
        },
      },
      ...(references.length > 0 && {
        payment_instructions: references.map((one) => ({ ...mandate(one), accounts: [] })),
      }),
    });
    const [one, other] = ['73282932000074', '35600000000048'] as const;
    const { folder } = await firstDay(company('B-1', one, 'R-1', 'R-2'), company('B-2', other));
    write(company('B-1', one, 'R-1'), company('B-2', other, 'R-2'));
    const { code, err } = await run('run', input, '--run', folder, '--add-to-existing');
    expect([code, err]).toEqual([
      7,
      expect.stringContaining(
        'day.jsonl:2 business B-2 (payment_instructions.0), formerly in business B-1 (day.jsonl:1)',
      ),
    ]);
  });

  test('a supply point that an account no longer has is asked about if a new account has it', async () => {
    const { day, created } = await firstDay(ofPerson('A-1', ALIX));
    const { code, err } = await day(
      of('A-1', ALIX.customer),
      of('N-9', DANA, BASILE.point),
      of('N-10', ANDREA, ALIX.point),
    );
    expect([code, err]).toEqual([
      7,
      expect.stringContaining(
        '1 line has what another record was sent with and no longer has: day.jsonl:3 account N-10 (account.supply_addresses), formerly in account A-1 (day.jsonl:1).',
      ),
    ]);
    expect(created()).toEqual(['A-1']);
  });

  test('is no question for an account that was sent with it before', async () => {
    const { folder, sandbox: own } = await firstDay(
      { ...of('A-1', CAMILLE), transactions: [charge('T-1'), charge('T-2')] },
      { ...of('A-2', ANDREA), transactions: [charge('T-2')] },
    );
    write(
      { ...of('A-1', CAMILLE), transactions: [charge('T-1')] },
      { ...of('A-2', ANDREA), transactions: [charge('T-2'), charge('T-3')] },
    );
    expect((await run('run', input, '--run', folder, '--add-to-existing')).code).toBe(3);
    expect(count(own, 'transactions')).toBe(4);
  });

  describe('is sent without a question', () => {
    const { transaction_id: _, ...standing } = charge('T-9', 20);
    const having = (number: string, customer: object, ...transactions: object[]) => ({
      ...of(number, customer),
      ...(transactions.length > 0 && { transactions }),
    });
    test.each<[why: string, first: object[], second: object[]]>([
      [
        'if a third record has an equal one, as a standing charge',
        [having('A-1', CAMILLE, charge('T-1'), standing), having('A-2', ANDREA, standing)],
        [having('A-1', CAMILLE, charge('T-1')), having('A-2', ANDREA, standing), having('N-9', DANA, standing)],
      ],
      [
        'if a third record that has changed has an equal one',
        [having('A-1', CAMILLE, charge('T-1'), standing), having('A-2', ANDREA, standing)],
        [
          having('A-1', CAMILLE, charge('T-1')),
          { ...having('A-2', { ...ANDREA, mobile: '+33600000001' }, standing) },
          having('N-9', DANA, standing),
        ],
      ],
      [
        'if two new records have it: its identifier tells accounts apart only together with the account',
        [having('A-1', CAMILLE, charge('1'), charge('2'))],
        [having('A-1', CAMILLE, charge('1')), having('N-8', ANDREA, charge('2')), having('N-9', DANA, charge('2'))],
      ],
      [
        'if the line of the record has it, with another amount',
        [having('A-1', CAMILLE, charge('T-1', 11))],
        [having('A-1', CAMILLE, charge('T-1', 12)), having('N-9', DANA, charge('T-1', 11))],
      ],
    ])('%s', async (_, first, second) => {
      const { day, created } = await firstDay(...first);
      expect((await day(...second)).code).toBe(3);
      expect(created()).toContain('N-9');
    });

    test('if the file of the other record is not read: it may still have it', async () => {
      const { folder, created } = await firstDay(having('A-1', CAMILLE, standing));
      const late = at('late.jsonl');
      writeFileSync(late, line(having('N-9', DANA, standing)));
      await run('run', late, '--run', folder);
      expect(created()).toEqual(['A-1', 'N-9']);
    });
  });
});

test('a batch of supply points that is no longer in the input is listed as other records are, until a person accepts it', async () => {
  const batch = { populate: { prm_ids: ['01234567890123'] } };
  const { day, typed, entries } = await firstDay(batch, of('A-1', CAMILLE), of('A-2', ANDREA));
  const second = await day(of('A-1', CAMILLE), of('A-2', ANDREA));
  expect([second.code, balance(second.out)]).toEqual([
    3,
    '2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2',
  ]);
  expect(second.out).toContain('1 record exists on the service and is no longer in the input (');
  expect(second.out).not.toContain('This session read');
  expect(entries('not-in-input.jsonl')).toMatchObject([{ kind: 'populate', line: 1 }]);
  expect((await typed('resolve', '--accept', 'removed')).code).toBe(0);
  expect((await day(of('A-1', CAMILLE), of('A-2', ANDREA))).code).toBe(0);
  expect((await day(batch, of('A-1', CAMILLE), of('A-2', ANDREA))).code).toBe(0);
});

test('a record whose outcome is unknown, and that the input has no more, is no line of another file', async () => {
  const { sandbox: own, day } = await firstDay(of('A-1', CAMILLE));
  own.faults.add({ match: { operation: 'historicalStatements.create' }, when: 'first', effect: 'drop' });
  expect((await day(of('A-1', CAMILLE), { ...of('A-2', ANDREA), statements: [STATEMENT] })).code).toBe(4);
  const { code, out } = await day(of('A-1', CAMILLE), of('A-3', DANA));
  expect([code, out]).toEqual([4, expect.not.stringContaining('This session read')]);
});
