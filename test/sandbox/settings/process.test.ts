/** U8, U11, U12, U17, U25 and U29: what process does where the document is silent, and what the switch does then. */
import { describe, expect, test } from 'vitest';
import type { SandboxSettings } from '../../../src/sandbox/index.js';
import { account, importAccount, openSandbox, PROCESS, processing, STAGE } from '../support/requests.js';

describe('U11 processChecks', () => {
  const IMPORTED = 'account_already_imported';
  const SUPPLIER = 'import_supplier_not_ongoing';
  const STAGED = 'account_not_staged';
  const TEAM = 'operations_team_not_found';
  type Order = SandboxSettings['processChecks'];

  // A-1 is imported, A-2 not staged; the supplier is Paused and the team unknown, so each has three reasons.
  test.each([
    [undefined, IMPORTED, SUPPLIER],
    [['imported', 'supplier', 'staged', 'team'], IMPORTED, SUPPLIER],
    [['imported', 'staged', 'supplier', 'team'], IMPORTED, STAGED],
    [['supplier', 'imported', 'staged', 'team'], SUPPLIER, SUPPLIER],
    [['staged', 'imported', 'team', 'supplier'], IMPORTED, STAGED],
    [['staged', 'team', 'supplier', 'imported'], TEAM, STAGED],
    [['team', 'supplier', 'staged', 'imported'], TEAM, TEAM],
  ] as [Order | undefined, string, string][])(
    'U11 in the order %j the first reason is %s for an account that is imported, %s for one that is not staged',
    async (processChecks, forImported, forNotStaged) => {
      const talk = openSandbox({ settings: processChecks === undefined ? {} : { processChecks } });
      await importAccount(talk, 'A-1');
      talk.sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Paused');
      const reasonFor = async (number: string) => {
        const body = processing(number, { operations_team_name: 'UNKNOWN', dry_run: true });
        const answer = await talk.unchanged(() => talk.post(PROCESS, body));
        return (answer.body as { errors: { code: string }[] }).errors[0]?.code;
      };
      expect([await reasonFor('A-1'), await reasonFor('A-2')]).toEqual([forImported, forNotStaged]);
    },
  );

  test('U11 an unknown supplier is found in its order, and a missing contract with the staged data', async () => {
    const order: Order = ['team', 'staged', 'supplier', 'imported'];
    const { post, unchanged } = openSandbox({
      settings: { processChecks: order, missingBusinessContract: 'process' },
    });
    await post(STAGE, account('A-1', { business: { business_contract_identifier: 'C-1' } }));
    const reasonFor = async (more: Record<string, unknown>) => {
      const answer = await unchanged(() => post(PROCESS, processing('A-1', more)));
      return (answer.body as { errors: { code: string }[] }).errors[0]?.code;
    };
    expect(await reasonFor({ operations_team_name: 'UNKNOWN' })).toBe('operations_team_not_found');
    expect(await reasonFor({})).toBe('business_contract_not_found');
    expect(await reasonFor({ import_supplier_code: 'UNKNOWN' })).toBe('account_not_staged');
  });
});

describe('U12 dryRunMessage', () => {
  const MESSAGE = 'Account would successfully import. Rolled back due to Dry Run.';

  test.each([
    [undefined, { detail: MESSAGE, code: 'dry_run', errors: [] }],
    ['detail', { detail: MESSAGE, code: 'dry_run', errors: [] }],
    ['non_field_errors', { non_field_errors: [MESSAGE] }],
    ['list', [MESSAGE]],
  ] as const)('U12 with %s the body is %j', async (dryRunMessage, body) => {
    const { post, unchanged } = openSandbox({ settings: dryRunMessage === undefined ? {} : { dryRunMessage } });
    await post(STAGE, account('A-1'));
    expect(await unchanged(() => post(PROCESS, processing('A-1', { dry_run: true })))).toEqual({ status: 400, body });
  });

  test("U12 with 'list' a dry run that would fail is the ordinary 400", async () => {
    const { post, unchanged } = openSandbox({ settings: { dryRunMessage: 'list' } });
    const answer = await unchanged(() => post(PROCESS, processing('A-1', { dry_run: true })));
    expect(answer).toMatchObject({ status: 400, body: { code: 'account_not_staged' } });
  });
});

describe('U17 stagedNotes', () => {
  const notesOf = async (settings: Partial<SandboxSettings>) => {
    const talk = openSandbox({ settings });
    await importAccount(talk, 'A-1', { notes: [{ body: 'Apple' }] });
    const answer = await talk.post('notes/create/', account('A-1', { notes: [{ body: 'Apple' }] }));
    return (answer.body as { status: string }[])[0]?.status;
  };

  test("U17 by default, or 'kept', the staged notes are notes of the account", async () => {
    expect(await notesOf({})).toBe('NOTE_ALREADY_EXISTS');
    expect(await notesOf({ stagedNotes: 'kept' })).toBe('NOTE_ALREADY_EXISTS');
  });

  test("U17 with 'dropped' they are not", async () => {
    expect(await notesOf({ stagedNotes: 'dropped' })).toBe('NOTE_CREATION_SUCCESS');
  });
});

describe('U25 accountNumberForm', () => {
  test.each([
    [undefined, /^\d{16}$/],
    ['digits', /^\d{16}$/],
    ['lettered', /^A-[0-9A-Z]{15}$/],
  ] as const)('U25 with %s a number has the form %s, and stays what it is', async (accountNumberForm, form) => {
    const settings = accountNumberForm === undefined ? {} : { accountNumberForm };
    const talk = openSandbox({ settings });
    const numbers = [];
    for (const number of ['A-1', 'A-2', 'A-3']) numbers.push(await importAccount(talk, number));
    expect(new Set(numbers).size).toBe(3);
    for (const number of numbers) expect(number).toMatch(form);
    expect(await importAccount(openSandbox({ settings }), 'A-2')).toBe(numbers[1]);
    expect((await talk.get('account-transfer-status/SANDBOX_SUPPLIER/A-2/')).body).toMatchObject({
      service_account_number: numbers[1],
    });
  });
});

describe('U29 dryRunCounts', () => {
  test.each([
    [undefined, 429],
    [true, 429],
    [false, 400],
  ])('U29 with %s a dry run beyond the limit is %i', async (dryRunCounts, status) => {
    const { post, sandbox, unchanged } = openSandbox({
      settings: { processConcurrency: 1, ...(dryRunCounts !== undefined && { dryRunCounts }) },
    });
    for (const number of ['A-1', 'A-2']) await post(STAGE, account(number));
    const hold = sandbox.holdProcessing();
    const first = post(PROCESS, processing('A-1'));
    await hold.waiting();
    expect((await unchanged(() => post(PROCESS, processing('A-2')))).status).toBe(429);
    const dryRun = post(PROCESS, processing('A-2', { dry_run: true }));
    // A dry run that is not counted waits like any call that is held.
    if (status === 400) await hold.waiting(2);
    else expect((await dryRun).status).toBe(429);
    hold.release();
    expect([(await first).status, (await dryRun).status]).toEqual([201, status]);
  });
});

describe('U8 switchSchedule', () => {
  const STATUS = 'account-transfer-status/SANDBOX_SUPPLIER/A-1/';

  test('U8 by default the clock moves no switch', async () => {
    const talk = openSandbox();
    await importAccount(talk, 'A-1');
    talk.sandbox.clock.advance(365 * 86_400_000);
    expect((await talk.get(STATUS)).body).toMatchObject({ status: 'PENDING' });
  });

  test.each([
    [0, 'COMPLETED'],
    [1, 'REJECTED'],
  ])(
    'U8 on a schedule it goes PENDING, IN_PROGRESS, and with a rejected share of %i ends %s',
    async (rejectedShare, end) => {
      const switchSchedule = { inProgressAfterSeconds: 60, endAfterSeconds: 3600, rejectedShare };
      const talk = openSandbox({ settings: { switchSchedule } });
      const { sandbox } = talk;
      await importAccount(talk, 'A-1');
      const statusAfter = async (ms: number) => {
        sandbox.clock.advance(ms);
        return ((await talk.get(STATUS)).body as { status: string }).status;
      };
      expect(await statusAfter(59_000)).toBe('PENDING');
      expect(await statusAfter(1000)).toBe('IN_PROGRESS');
      expect(await statusAfter(3_539_000)).toBe('IN_PROGRESS');
      expect(await statusAfter(1000)).toBe(end);
      expect(await statusAfter(86_400_000)).toBe(end);
    },
  );

  test('U8 on a schedule the operator may still move a switch on, and time does not take it back', async () => {
    const switchSchedule = { inProgressAfterSeconds: 60, endAfterSeconds: 3600, rejectedShare: 0 };
    const talk = openSandbox({ settings: { switchSchedule } });
    await importAccount(talk, 'A-1');
    talk.sandbox.transition('SANDBOX_SUPPLIER', 'A-1', 'IN_PROGRESS');
    talk.sandbox.transition('SANDBOX_SUPPLIER', 'A-1', 'REJECTED');
    talk.sandbox.clock.advance(7_200_000);
    expect((await talk.get(STATUS)).body).toMatchObject({ status: 'REJECTED' });
  });
});
