/** `learn` finds the settings that a recording shows, and calls the others guesses. */
// @module-tag long
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSandbox, learn, parseRecording, recordCalls, type SandboxSettings } from '../../src/sandbox/index.js';

const BASE = 'https://service.example.com/v1/data-import/';
const A1 = { import_supplier: 'NORTH', external_account_number: 'A-1' };

/** Records calls of a service with these settings: a path for a query, or a path and a body. */
async function recordingOf(
  settings: Partial<SandboxSettings>,
  calls: readonly (readonly [path: string, body?: object | undefined, scheme?: 'Bearer' | 'none'])[],
) {
  let text = '';
  let now = Date.parse('2026-01-15T09:00:00Z');
  const sandbox = createSandbox({ suppliers: [{ code: 'NORTH' }], teams: ['EAST'], settings });
  const send = recordCalls(
    (line) => {
      text += line;
    },
    { fetch: (url, init) => sandbox.fetch(url, init), now: () => ++now },
  );
  for (const [path, body, scheme = 'Token'] of calls) {
    const headers = {
      ...(scheme !== 'none' && { authorization: `${scheme} ${sandbox.token}` }),
      'content-type': 'application/json',
    };
    await send(BASE + path, {
      headers,
      ...(body === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) }),
    });
  }
  return parseRecording(text);
}

const HARMLESS = [
  ['validate-account/', A1],
  ['pending-account-import-processes/NORTH/'],
  ['validate-account/', { ...A1, undocumented: 1 }],
] as const;

const STAGE = 'account-import-process/create-or-update/';
const PROCESS_A1 = [
  'account-import-process/process/',
  { external_account_number: 'A-1', import_supplier_code: 'NORTH', operations_team_name: 'EAST' },
] as const;

test('one value that reproduces the answers is found; a default is found too', async () => {
  const calls = await recordingOf({ unknownFields: 'keep', unmatchedList: 'not-found' }, HARMLESS);
  const { deployment, notReproduced } = await learn(calls);
  expect(deployment).toMatchObject({ unknownFields: 'keep', unmatchedList: 'not-found' });
  expect(notReproduced).toEqual([]);
  expect((await learn(await recordingOf({}, HARMLESS))).deployment).toMatchObject({
    unknownFields: 'refuse',
    unmatchedList: 'empty',
  });
});

test('what no answer depends on is a guess, with a query or a validation that decides', async () => {
  const { deployment, settings } = await learn(await recordingOf({ importedList: 'no-body' }, HARMLESS));
  expect(deployment).not.toHaveProperty('importedList');
  expect(settings.find(({ name }) => name === 'importedList')).toEqual({
    name: 'importedList',
    settles: 'U5',
    verdict: 'guess',
    value: 'entries',
    candidates: ['entries', 'no-body'],
    decidedBy: 'imports.imported of an import supplier with an imported account',
  });
  const proposed = new Set(settings.flatMap((each) => (each.verdict === 'guess' ? (each.decidedBy ?? []) : [])));
  expect([...proposed].filter((call) => !/^(imports\.\w+|accounts\.validate) /.test(call))).toEqual([]);
  expect([...proposed]).toContain('imports.status without a token');
  // Only a call that may have an effect would decide these.
  for (const undecided of ['accountNotFound', 'businessAgain', 'dryRunMessage', 'failingBatchKeeps'])
    expect(settings.find(({ name }) => name === undecided)).not.toHaveProperty('decidedBy');
});

test('the call that was named decides', async () => {
  const calls = await recordingOf({ importedList: 'no-body' }, [
    [STAGE, A1],
    PROCESS_A1,
    ['imported-account-import-processes/NORTH/'],
  ]);
  expect((await learn(calls)).deployment).toMatchObject({ importedList: 'no-body' });
});

test('other names of error codes are learnt, and hide no other setting', async () => {
  const errorCodes = { unknown_field: 'not_allowed' };
  const { deployment, notReproduced } = await learn(await recordingOf({ errorCodes }, HARMLESS));
  expect(deployment).toMatchObject({ errorCodes, unknownFields: 'refuse' });
  expect(notReproduced).toEqual([]);
});

test('three settings of one question that only together reproduce the answers are found', async () => {
  const list = 'pending-account-import-processes/NORTH/';
  const settings = { authScope: 'all', authScheme: 'any', unauthorizedBody: 'detail' } as const;
  const { deployment, notReproduced } = await learn(
    await recordingOf(settings, [[list], [list, undefined, 'Bearer'], [list, undefined, 'none']]),
  );
  expect(notReproduced).toEqual([]);
  expect(deployment).toMatchObject(settings);
});

test('U2 a value that is possible only together with another setting of the question is not excluded', async () => {
  const calls = await recordingOf({ authScheme: 'Bearer' }, [
    ['pending-account-import-processes/NORTH/', undefined, 'Bearer'],
  ]);
  const { deployment, settings } = await learn(calls);
  expect(deployment).not.toHaveProperty('authScope');
  expect(settings.find(({ name }) => name === 'authScope')).toMatchObject({
    verdict: 'guess',
    candidates: expect.arrayContaining(['all', 'business-payment-instruction']),
  });
});

test('booleans, amounts, and a number with the digits of a text are reproduced', async () => {
  const full = {
    ...A1,
    unknown_occupier: false,
    last_billed_to_date: '2025-01-31',
    supplementary_ledgers: [{ ledger_code: '12', energy_cheques: [{ number: '12', amount: 12 }] }],
  };
  const transactions = [
    { transaction_id: 'T-1', transaction_date: '2026-01-10', type: 'CHARGE', amount: 45.5 },
    { transaction_id: 'T-2', transaction_date: '2026-01-10', type: 'CHARGE', amount: 10 },
    { transaction_id: 'T-3', transaction_date: '2026-01-10', type: 'CHARGE', amount: 7.25 },
  ];
  const settings: Partial<SandboxSettings> = { transactionDataStatus: 'success', unknownFields: 'keep' };
  const { deployment, notReproduced } = await learn(
    await recordingOf(settings, [
      ['validate-account/', full],
      ['validate-account/', { ...full, undocumented: true }],
      [STAGE, full],
      PROCESS_A1,
      ['transactions/create/', { ...A1, transactions }],
    ]),
  );
  expect(notReproduced).toEqual([]);
  expect(deployment).toMatchObject(settings);
});

test('dates of one age: which are outside the open period of an account is reproduced, and where they are moved is found', async () => {
  // 188 to 201 days ago, which the recording shows as 128 to 255 days.
  const A2 = { ...A1, external_account_number: 'A-2' };
  const early = { transaction_id: 'T-1', transaction_date: '2025-06-28', type: 'CHARGE', amount: 45.5 };
  const late = { transaction_id: 'T-2', transaction_date: '2025-07-05', type: 'CHARGE', amount: 45.5 };
  // The first day of the open period of A-1, to which the early one is moved.
  const first = { transaction_id: 'T-3', transaction_date: '2025-07-01', type: 'CHARGE', amount: 45.5 };
  for (const movedDate of ['nearest', 'today'] as const) {
    const calls = await recordingOf({ movedDate }, [
      [STAGE, { ...A1, last_billed_to_date: '2025-06-30' }],
      PROCESS_A1,
      [STAGE, { ...A2, last_billed_to_date: '2025-07-11' }],
      [PROCESS_A1[0], { ...PROCESS_A1[1], external_account_number: 'A-2' }],
      ['transactions/create/', { ...A1, transactions: [early, late, first] }],
      ['transactions/create/?force_add_to_current_statement=false', { ...A1, transactions: [late] }],
      ['transactions/create/', { ...A2, transactions: [early, late] }],
      ['transactions/create/?force_add_to_current_statement=false', { ...A2, transactions: [late] }],
    ]);
    const { deployment, notReproduced } = await learn(calls);
    expect(notReproduced).toEqual([]);
    expect(deployment).toMatchObject({ movedDate });
  }
});

test('a field that is refused when it is missing, and never accepted so, is required by the profile', async () => {
  const profile = { required: { Account: ['customers.*.family_name'] } };
  const calls = await recordingOf({ profile }, [
    ['validate-account/', { ...A1, customers: [{ given_name: 'Ada' }] }],
    ['validate-account/', { ...A1, customers: [{ family_name: 'Arbois' }] }],
  ]);
  expect((await learn(calls)).deployment).toMatchObject({ profile });
});

test('an answer that no setting gives is reported, and decides nothing', async () => {
  const [first, ...others] = await recordingOf({}, HARMLESS);
  const { notReproduced, deployment } = await learn([{ ...first, status: 418 } as never, ...others]);
  expect(notReproduced).toEqual([0]);
  expect(deployment).toMatchObject({ unmatchedList: 'empty' });
});

test('calls that overlap in any way, with lines in any order: learn ends, and the order of the lines changes nothing', async () => {
  const note = ['notes/create/', { ...A1, notes: [{ body: 'Moved.' }] }] as const;
  const calls = await recordingOf({}, [[STAGE, A1], PROCESS_A1, PROCESS_A1, note, note]);
  const times = fc.record({ at: fc.integer({ min: 0, max: 3 }), ms: fc.integer({ min: 0, max: 3 }) });
  const lines = fc
    .array(times, { minLength: calls.length, maxLength: calls.length })
    .map((drawn) => calls.map((call, index) => ({ ...call, ...drawn[index] })));
  const orders = lines.chain((timed) =>
    fc.tuple(fc.constant(timed), fc.shuffledSubarray(timed, { minLength: timed.length })),
  );
  await fc.assert(
    fc.asyncProperty(orders, async ([one, other]) => {
      const [learned, again] = [await learn(one), await learn(other)];
      expect({ ...again, notReproduced: [] }).toEqual({ ...learned, notReproduced: [] });
      const missed = (all: typeof one, indexes: readonly number[]) => new Set(indexes.map((index) => all[index]));
      expect(missed(other, again.notReproduced)).toEqual(missed(one, learned.notReproduced));
    }),
    { numRuns: 5 },
  );
});

test.each([
  ['{"at":0\n', 'line 2 is not valid JSON. Expected a line that recordCalls has written.'],
  [
    '{"at":0',
    'line 2 is cut off: the recording ended while it was written. Delete the line; the others are a recording without it.',
  ],
  [
    '{"at":0,"ms":1,"operation":"accounts.delete"}\n',
    'line 2 is no recorded call (operation). Expected a line that recordCalls has written.',
  ],
])('parseRecording refuses the line %j', async (line, message) => {
  const [call] = await recordingOf({}, HARMLESS);
  expect(() => parseRecording(`${JSON.stringify(call)}\n${line}`)).toThrow(new TypeError(message));
});

test('parseRecording refuses two recordings in one file: their times and tokens do not belong together', async () => {
  const lines = (await recordingOf({}, HARMLESS)).map((call) => `${JSON.stringify(call)}\n`).join('');
  expect(() => parseRecording(lines + lines)).toThrow(
    new TypeError(
      'lines 1 and 4 each begin a recording. Write each recording into a separate file, and give learn one of them.',
    ),
  );
});

test.each(['today', 'nearest'] as const)(
  'the day of a moved transaction is found on a served sandbox whose clock is not that of the machine: %s',
  async (movedDate) => {
    const lines: string[] = [];
    const sandbox = createSandbox({ suppliers: [{ code: 'NORTH' }], teams: ['EAST'], settings: { movedDate } });
    const server = await sandbox.listen();
    const later = Date.parse('2026-12-01T09:00:00Z');
    let now = later;
    const send = recordCalls((line) => lines.push(line), { now: () => ++now });
    const post = (path: string, body: object) =>
      send(`${server.url}/v1/data-import/${path}`, {
        method: 'POST',
        headers: { authorization: `Token ${sandbox.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    // The clock of the sandbox is 2026-01-15.
    await post(STAGE, { ...A1, last_billed_to_date: '2025-12-31' });
    await post(...PROCESS_A1);
    await post('transactions/create/?force_add_to_current_statement=true', {
      ...A1,
      transactions: [
        { transaction_id: 'T-1', type: 'CHARGE', transaction_date: '2025-12-20', amount: 1, reason: 'IMPORTED_CHARGE' },
      ],
    });
    await server.close();
    const { deployment, notReproduced } = await learn(parseRecording(lines.join('')));
    expect([deployment.movedDate, notReproduced]).toEqual([movedDate, []]);
  },
);
