import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.js';
import { account, importAccount, openSandbox, PROCESS, processing, STAGE } from './support/requests.js';

describe('defaults and options', () => {
  test('a sandbox needs no options', () => {
    expect(createSandbox().state).toEqual({
      clock: { kind: 'fixed', now: '2026-01-15T09:00:00.000Z' },
      teams: ['SANDBOX_TEAM'],
      suppliers: [{ code: 'SANDBOX_SUPPLIER', status: 'Ongoing', root: '', skipped: [], accounts: [], businesses: [] }],
      populate_batches: [],
      vendor_tries: {},
      documents: [],
      faults: [],
    });
  });

  test('a supplier may begin Paused or Complete', async () => {
    const { post } = openSandbox({ suppliers: [{ code: 'SANDBOX_SUPPLIER', status: 'Paused' }] });
    expect(await post(STAGE, account('A-1'))).toMatchObject({
      status: 400,
      body: { code: 'import_supplier_not_ongoing' },
    });
  });

  test('without suppliers and teams, the refusals name the missing configuration', async () => {
    const { post } = openSandbox({ suppliers: [] });
    expect(JSON.stringify((await post(STAGE, account('A-1'))).body)).toContain('This sandbox knows: none.');
    const teamless = openSandbox({ teams: [] });
    await teamless.post(STAGE, account('A-1'));
    expect(JSON.stringify((await teamless.post(PROCESS, processing('A-1'))).body)).toContain('knows: none.');
  });

  test.each([
    [{ setting: {} }, 'createSandbox: no option setting; did you mean settings?'],
    [{ suppliers: 'ACME' }, 'createSandbox: suppliers must be a list of { code, status?, root? }.'],
    [{ suppliers: ['ACME'] }, 'createSandbox: a supplier must be { code, status?, root? }.'],
    [
      { suppliers: [{ code: 'ACME', state: 'Paused' }] },
      'createSandbox: a supplier: no option state; did you mean status?',
    ],
    [{ suppliers: [{ code: 'ACME', root: 1 }] }, 'createSandbox: the root of a supplier must be a string.'],
    [{ teams: 'EAST' }, 'createSandbox: teams must be a list of names.'],
    [{ seed: 1 }, 'createSandbox: seed must be a string.'],
    [{ showPersonalData: 'false' }, 'createSandbox: showPersonalData must be a boolean.'],
    [{ wait: 5 }, 'createSandbox: wait must be a function.'],
    [{ documents: { knwon: [] } }, 'createSandbox: documents: no option knwon; did you mean known?'],
    [{ documents: [] }, 'createSandbox: documents must be { bucket?, known? }.'],
    [
      { toString: 1 },
      'createSandbox: no option toString; there are suppliers, teams, documents, clock, seed, preset, settings, faults, logLimit, logBytes, showPersonalData, wait.',
    ],
    [{ suppliers: [{ code: '' }] }, 'createSandbox: a supplier needs a code.'],
    [{ suppliers: [{ code: 'X' }, { code: 'X' }] }, 'createSandbox: two suppliers have the code X.'],
    [
      { suppliers: [{ code: 'X', status: 'ongoing' }] },
      'An import supplier is Ongoing, Paused, Complete; found ongoing.',
    ],
    [{ clock: new Date('never') }, "createSandbox: clock must be a valid Date or 'machine'."],
    [{ clock: '2026-01-15' }, "createSandbox: clock must be a valid Date or 'machine'."],
    [{ faults: {} }, 'createSandbox: faults must be a list of rules.'],
    [{ documents: { bucket: 1 } }, 'createSandbox: documents must be { bucket?, known? }.'],
    [
      { settings: { processConcurency: 1 } },
      'createSandbox: no setting processConcurency; did you mean processConcurrency?',
    ],
    [
      { settings: { toString: 1 } },
      'createSandbox: no setting toString; the type SandboxSettings has all, and docs/unspecified-behaviour.md explains them.',
    ],
    [{ settings: { processConcurrency: 0 } }, 'processConcurrency must be null or a whole number from 1, found 0.'],
    [{ settings: { retryAfterSeconds: 1.5 } }, 'retryAfterSeconds must be null or a whole number from 0, found 1.5.'],
    [{ settings: { tokenLifetimeSeconds: 0 } }, 'tokenLifetimeSeconds must be null or a whole number from 1, found 0.'],
    [{ settings: { historicalStatementStatus: 202 } }, 'historicalStatementStatus must be one of 201, 200, found 202.'],
    [
      { settings: { missingBusinessContract: 'always' } },
      'missingBusinessContract must be one of stage-and-process, process, never, found always.',
    ],
    [{ settings: { lookupsPerSecond: 0 } }, 'lookupsPerSecond must be a number from 0.001, found 0.'],
    ...[
      'graphql',
      '/v1/data-import/notes/create/',
      '/v1/data-import/notes/create',
      '/v1/data-import/all-account-import-processes/ACME/',
      '/__sandbox/graphql',
      '/v1/../graphql/',
    ].map((graphqlPath): [object, string] => [
      { settings: { graphqlPath } },
      `graphqlPath must be a path that begins with /, and none of another call or of the admin interface, found ${graphqlPath}.`,
    ]),
    [{ settings: { tokenMutation: 'a b' } }, 'tokenMutation must be a GraphQL name, found a b.'],
    [{ settings: { apiKeyVariable: 'a..b' } }, 'apiKeyVariable must be GraphQL names joined by dots, found a..b.'],
  ])('createSandbox(%j) throws a TypeError that says what is wrong', (options, message) => {
    expect(() => createSandbox(options as SandboxOptions)).toThrow(TypeError);
    expect(() => createSandbox(options as SandboxOptions)).toThrow(message);
  });

  test('two sandboxes share no state, not even the options object', async () => {
    const options = { suppliers: [{ code: 'SANDBOX_SUPPLIER' }], teams: ['SANDBOX_TEAM'] };
    const one = openSandbox(options);
    const other = openSandbox(options);
    await importAccount(one, 'A-1');
    one.sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Complete');
    one.sandbox.clock.advance(1);
    expect(other.sandbox.state).toEqual(createSandbox(options).state);
    expect(options).toEqual({ suppliers: [{ code: 'SANDBOX_SUPPLIER' }], teams: ['SANDBOX_TEAM'] });
  });
});

describe('operator', () => {
  test('an unknown supplier or status is refused', () => {
    const sandbox = createSandbox();
    expect(() => sandbox.setSupplierStatus('UNKNOWN', 'Paused')).toThrow('No import supplier has the code UNKNOWN.');
    expect(() => sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Closed' as 'Paused')).toThrow(
      'An import supplier is Ongoing, Paused, Complete; found Closed.',
    );
    expect(() => sandbox.skip('UNKNOWN', 'A-1')).toThrow('No import supplier has the code UNKNOWN.');
  });

  test('an account that is marked to skip repeatedly is marked once (U23)', () => {
    const sandbox = createSandbox();
    sandbox.skip('SANDBOX_SUPPLIER', 'A-1');
    sandbox.skip('SANDBOX_SUPPLIER', 'A-1');
    expect(sandbox.state.suppliers[0]?.skipped).toEqual(['A-1']);
  });
});

describe('state', () => {
  test('the state is one value of plain JSON', async () => {
    const talk = openSandbox();
    const key = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' };
    await talk.post('supply-point/populate/', { prm_ids: ['1'] });
    await talk.post('business/', { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' });
    await importAccount(talk, 'A-1', { notes: [{ body: 'x' }], metadata: [{ key: 'k', value: { a: [null, 1] } }] });
    await talk.post('notes/create/', { ...key, notes: [{ document_paths: [{ document_path: '/a' }] }] });
    await talk.post('transactions/create/', {
      ...key,
      transactions: [{ type: 'CREDIT', transaction_date: '2030-01-01' }],
    });
    await talk.post('historical-statements/create/', { ...key, statements: [{ statement_path: '/b' }] });
    await talk.post('payment-instruction/create/', { ...key, vendor: 'V', reference: 'sbx-vendor-flaky-1' });
    await talk.post(STAGE, account('A-2'));
    expect(JSON.parse(JSON.stringify(talk.sandbox.state))).toStrictEqual(talk.sandbox.state);
  });

  test('reset restores the state after createSandbox, including the clock', async () => {
    const talk = openSandbox();
    const before = structuredClone(talk.sandbox.state);
    await importAccount(talk, 'A-1');
    talk.sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Paused');
    talk.sandbox.skip('SANDBOX_SUPPLIER', 'A-2');
    talk.sandbox.clock.advance(1000);
    talk.sandbox.reset();
    expect(talk.sandbox.state).toEqual(before);
    expect((await talk.post(STAGE, account('A-1'))).status).toBe(201);
  });
});

describe('ids', () => {
  test('the same seed gives the same numbers for any order of calls', async () => {
    const one = openSandbox({ seed: 's' });
    const other = openSandbox({ seed: 's' });
    const first = [await importAccount(one, 'A-1'), await importAccount(one, 'A-2')];
    const second = [await importAccount(other, 'A-2'), await importAccount(other, 'A-1')];
    expect(second.reverse()).toEqual(first);
    expect(await importAccount(openSandbox({ seed: 't' }), 'A-1')).not.toBe(first[0]);
  });

  test('the same seed and the same calls give the same answers, byte for byte', async () => {
    const transcript = async () => {
      const talk = openSandbox();
      const answers = [
        await talk.post('supply-point/populate/', { prm_ids: ['1'] }),
        await talk.post('business/', { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' }),
        await talk.post(STAGE, account('A-1')),
        await talk.post(PROCESS, processing('A-1')),
        await talk.get('all-account-import-processes/SANDBOX_SUPPLIER/'),
      ];
      return JSON.stringify([answers, talk.sandbox.state]);
    };
    expect(await transcript()).toBe(await transcript());
  });
});

describe('clock', () => {
  test('the clock has the time 2026-01-15T09:00:00Z until it is set', () => {
    const { clock } = createSandbox();
    expect(clock.now()).toEqual(new Date('2026-01-15T09:00:00Z'));
    clock.advance(90_000);
    expect(clock.now()).toEqual(new Date('2026-01-15T09:01:30Z'));
    clock.set(new Date('2025-06-01T00:00:00Z'));
    expect(clock.now()).toEqual(new Date('2025-06-01T00:00:00Z'));
  });

  test('the clock may start elsewhere', () => {
    const clock = new Date('2027-03-01T12:00:00Z');
    expect(createSandbox({ clock }).clock.now()).toEqual(clock);
  });

  test('the clock only advances, and refuses an invalid date', () => {
    const { clock } = createSandbox();
    expect(() => clock.advance(-1)).toThrow(new RangeError('clock.advance: expected 0 ms or more, found -1.'));
    expect(() => clock.advance(Number.NaN)).toThrow(RangeError);
    expect(() => clock.advance(Number.POSITIVE_INFINITY)).toThrow(RangeError);
    expect(() => clock.set(new Date('never'))).toThrow(new RangeError('clock.set: not a valid date.'));
    expect(clock.now()).toEqual(new Date('2026-01-15T09:00:00Z'));
  });

  test("the machine's clock only when asked for, and it can be moved too", () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-08-01T06:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    const sandbox = createSandbox({ clock: 'machine' });
    expect(sandbox.clock.now()).toEqual(new Date('2026-08-01T06:00:00Z'));
    vi.setSystemTime(new Date('2026-08-01T06:00:05Z'));
    expect(sandbox.clock.now()).toEqual(new Date('2026-08-01T06:00:05Z'));
    sandbox.clock.set(new Date('2030-01-01T00:00:00Z'));
    sandbox.clock.advance(86_400_000);
    vi.setSystemTime(new Date('2026-08-01T06:00:06Z'));
    expect(sandbox.clock.now()).toEqual(new Date('2030-01-02T00:00:01Z'));
  });
});
