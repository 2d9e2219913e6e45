/** What the admin interface tells and turns: overview, state and snapshots, clock, faults, processing, spaces. */
import { describe, expect, test } from 'vitest';
import { openAdmin } from '../support/admin-requests.js';
import { DOMESTIC } from '../support/payloads.js';
import { account, PROCESS, processing, STAGE } from '../support/requests.js';

describe('admin: overview', () => {
  test('returns clock, suppliers with counts, teams, requests, faults and settings', async () => {
    const { send, call } = await openAdmin({ settings: { accountNotFound: 404 } });
    await call('POST', STAGE, account('A-1'));
    await call('POST', STAGE, account('A-2'));
    await call('POST', PROCESS, processing('A-1'));
    const { status, body } = await send('GET', 'overview');
    expect(status).toBe(200);
    expect(body).toEqual({
      space: '',
      clock: { kind: 'fixed', now: '2026-01-15T09:00:00.000Z' },
      suppliers: [
        {
          code: 'SANDBOX_SUPPLIER',
          status: 'Ongoing',
          root: '',
          staged: 1,
          imported: 1,
          skipped: 0,
          businesses: 0,
        },
      ],
      teams: ['SANDBOX_TEAM'],
      requests: { first: 1, last: 3 },
      faults: 0,
      processing: { held: false, waiting: 0 },
      documents: { bucket: 'sandbox-bucket', registered: 0 },
      personal_data_shown: false,
      operations: [
        'supplyPoints.populate',
        'businesses.create',
        'businesses.createPaymentInstruction',
        'accounts.validate',
        'accounts.stage',
        'accounts.process',
        'notes.create',
        'transactions.create',
        'historicalStatements.create',
        'paymentInstructions.create',
        'imports.status',
        'imports.all',
        'imports.pending',
        'imports.imported',
      ],
      settings: expect.arrayContaining([
        { name: 'accountNotFound', settles: 'U14', default: 400, value: 404, values: [400, 404] },
        {
          ...{ name: 'movedDate', settles: 'U16', default: 'nearest', value: 'nearest' },
          values: expect.arrayContaining(['nearest']),
        },
      ]),
    });
  });
});

describe('admin: state and snapshots', () => {
  test('the state masks personal data, and only these', async () => {
    const { send, call } = await openAdmin();
    await call('POST', STAGE, DOMESTIC);
    const { body } = await send('GET', 'state');
    expect(body).toMatchObject({
      clock: { kind: 'fixed' },
      teams: ['SANDBOX_TEAM'],
      suppliers: [
        {
          code: 'SANDBOX_SUPPLIER',
          accounts: [
            { external_account_number: '0001', data: { billing_address1: '•••', customers: [{ title: '•••' }] } },
          ],
        },
      ],
    });
    expect(JSON.stringify(body)).not.toMatch(/Ines|Placeholder|Harbour|33612345678/);
  });

  test('with showPersonalData it shows all', async () => {
    const { send, call, sandbox } = await openAdmin({ showPersonalData: true });
    await call('POST', STAGE, DOMESTIC);
    expect((await send('GET', 'state')).body).toEqual(sandbox.state);
  });

  test('the snapshot is whole, and can be put back here and elsewhere', async () => {
    const { send, call, sandbox } = await openAdmin();
    await call('POST', STAGE, DOMESTIC);
    const before = structuredClone(sandbox.state);
    const { body: snapshot } = await send('GET', 'snapshot');
    expect(snapshot).toEqual({ format: 'data-import-sdk sandbox 1', state: before });
    expect((await send('POST', 'reset')).status).toBe(200);
    expect(sandbox.state.suppliers[0]?.accounts).toEqual([]);
    expect((await send('PUT', 'snapshot', snapshot)).status).toBe(200);
    expect(sandbox.state).toEqual(before);
  });

  test('reset clears the log', async () => {
    const { send, call, sandbox } = await openAdmin();
    await call('POST', STAGE, account('A-1'));
    expect(sandbox.requests()).toHaveLength(1);
    await send('POST', 'reset', {});
    expect(sandbox.requests()).toEqual([]);
  });

  test('a named snapshot can be created, listed, restored several times, and deleted', async () => {
    const { send, call, sandbox } = await openAdmin();
    await call('POST', STAGE, account('A-1'));
    const taken = { name: 'before / process', taken_at: '2026-01-15T09:00:00.000Z', accounts: 1 };
    expect(await send('POST', 'snapshots', { name: 'before / process' })).toMatchObject({ status: 201, body: taken });
    expect((await send('GET', 'snapshots')).body).toEqual([taken]);
    for (let time = 0; time < 2; time++) {
      await call('POST', PROCESS, processing('A-1'));
      expect(sandbox.state.suppliers[0]?.accounts[0]?.imported).not.toBeNull();
      expect((await send('POST', 'snapshots/before%20%2F%20process/restore')).status).toBe(200);
      expect(sandbox.state.suppliers[0]?.accounts[0]?.imported).toBeNull();
    }
    expect((await send('DELETE', 'snapshots/before%20%2F%20process')).status).toBe(200);
    expect((await send('GET', 'snapshots')).body).toEqual([]);
  });

  test('a used name is refused, and so is the 21st snapshot', async () => {
    const { send, unchanged } = await openAdmin();
    for (let number = 1; number <= 20; number++) await send('POST', 'snapshots', { name: `s-${number}` });
    const refused = (name: string) => unchanged(() => send('POST', 'snapshots', { name }));
    expect(await refused('s-1')).toMatchObject({ status: 400, body: { code: 'snapshot_exists' } });
    expect(await refused('s-21')).toMatchObject({ status: 400, body: { code: 'too_many_snapshots' } });
    expect((await send('GET', 'snapshots')).body).toHaveLength(20);
  });
});

describe('admin: clock, faults, processing', () => {
  test('the clock is advanced, and set in any offset', async () => {
    const { send, sandbox } = await openAdmin();
    expect((await send('POST', 'clock', { advance_ms: 86_400_000 })).body).toEqual({
      kind: 'fixed',
      now: '2026-01-16T09:00:00.000Z',
    });
    expect((await send('POST', 'clock', { now: '2025-12-31T23:00:00+02:00' })).body).toEqual({
      kind: 'fixed',
      now: '2025-12-31T21:00:00.000Z',
    });
    expect((await send('GET', 'clock')).body).toEqual({ kind: 'fixed', now: '2025-12-31T21:00:00.000Z' });
    expect(sandbox.clock.now()).toEqual(new Date('2025-12-31T21:00:00Z'));
  });

  test('a fault can be added, affects calls, is counted, and can be removed', async () => {
    const { send, call } = await openAdmin();
    const rule = { match: { operation: 'accounts.stage' }, effect: { status: 503, body: { detail: 'down' } } };
    expect(await send('POST', 'faults', rule)).toMatchObject({ status: 201, body: { id: 'fault-1' } });
    expect(await call('POST', STAGE, account('A-1'))).toMatchObject({ status: 503, body: { detail: 'down' } });
    expect((await send('GET', 'faults')).body).toEqual([{ ...rule, id: 'fault-1', met: 1, fired: 1, tries: {} }]);
    expect(await send('POST', 'faults', { ...rule, id: 'fault-1' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_fault', detail: 'fault rule: there is one of id fault-1 already.' },
    });
    expect((await send('DELETE', 'faults/fault-1')).status).toBe(200);
    expect((await call('POST', STAGE, account('A-1'))).status).toBe(201);
  });

  test('all faults can be removed with one request', async () => {
    const { send, sandbox } = await openAdmin({ faults: [{ effect: 'drop' }, { effect: 'malformed' }] });
    expect((await send('DELETE', 'faults')).status).toBe(200);
    expect(sandbox.state.faults).toEqual([]);
  });

  test('E6 process calls are delayed, counted, and released', async () => {
    const { send, call, sandbox } = await openAdmin();
    await call('POST', STAGE, account('A-1'));
    expect((await send('POST', 'processing', { hold: true })).body).toEqual({ held: true });
    expect((await send('POST', 'processing', { hold: true })).body).toEqual({ held: true });
    const answer = call('POST', PROCESS, processing('A-1'));
    while (JSON.stringify((await send('GET', 'processing')).body) !== '{"held":true,"waiting":1}');
    expect(sandbox.state.suppliers[0]?.accounts[0]?.imported).toBeNull();
    expect((await send('POST', 'processing', { hold: false })).body).toEqual({ held: false });
    expect((await answer).status).toBe(201);
    expect((await send('GET', 'processing')).body).toEqual({ held: false, waiting: 0 });
  });

  test('a hold of the program stays the program’s', async () => {
    const { send, sandbox } = await openAdmin();
    const hold = sandbox.holdProcessing();
    expect((await send('POST', 'processing', { hold: false })).body).toEqual({ held: true });
    hold.release();
    expect((await send('GET', 'processing')).body).toEqual({ held: false, waiting: 0 });
  });
});

describe('admin: spaces', () => {
  test('each isolated state is selected by its name', async () => {
    const { send, sandbox } = await openAdmin();
    const other = sandbox.isolated('file-1');
    expect((await send('POST', 'teams?space=file-1', { name: 'Night' })).status).toBe(201);
    expect(other.state.teams).toEqual(['SANDBOX_TEAM', 'Night']);
    expect(sandbox.state.teams).toEqual(['SANDBOX_TEAM']);
    expect((await send('GET', 'overview?space=file-1')).body).toMatchObject({ space: 'file-1' });
    expect((await send('GET', 'teams')).body).toEqual(['SANDBOX_TEAM']);
  });

  test('states beyond the limit of a sandbox are refused', async () => {
    const { send, sandbox } = await openAdmin();
    for (let number = 1; number < 1000; number++) sandbox.isolated(`n-${number}`);
    expect(await send('GET', 'overview?space=one-more')).toMatchObject({
      status: 400,
      body: { code: 'too_many_spaces', errors: [{ attr: 'space' }] },
    });
  });
});

test('the OpenAPI document of the service is served', async () => {
  const { send } = await openAdmin();
  const { body } = await send('GET', 'openapi.json');
  expect(body).toMatchObject({ openapi: '3.1.0' });
  expect(Object.keys((body as { paths: object }).paths)).toHaveLength(14);
});
