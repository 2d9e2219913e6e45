/** What the admin interface does in the operator's place. */
import { describe, expect, test } from 'vitest';
import { openAdmin } from '../support/admin-requests.js';
import { account, PROCESS, processing, STAGE } from '../support/requests.js';

describe('admin: what the operator does', () => {
  test('a supplier is added and its status set; staging follows it (E5)', async () => {
    const { send, call } = await openAdmin();
    const fresh = { code: 'B/1', status: 'Paused', root: 'b/', staged: 0, imported: 0, skipped: 0, businesses: 0 };
    expect(await send('POST', 'suppliers', { code: 'B/1', status: 'Paused', root: 'b/' })).toMatchObject({
      status: 201,
      body: fresh,
    });
    const stage = () => call('POST', STAGE, { import_supplier: 'B/1', external_account_number: 'A-1' });
    expect(await stage()).toMatchObject({ status: 400, body: { code: 'import_supplier_not_ongoing' } });
    expect((await send('PATCH', 'suppliers/B%2F1', { status: 'Ongoing' })).body).toEqual({
      ...fresh,
      status: 'Ongoing',
    });
    expect((await stage()).status).toBe(201);
    expect((await send('GET', 'suppliers')).body).toMatchObject([
      { code: 'SANDBOX_SUPPLIER', staged: 0 },
      { code: 'B/1', status: 'Ongoing', staged: 1 },
    ]);
  });

  test('a team can be added and removed; process accepts it accordingly (E6)', async () => {
    const { send, call } = await openAdmin();
    await call('POST', STAGE, account('A-1'));
    const tryOut = () => call('POST', PROCESS, processing('A-1', { operations_team_name: 'Night', dry_run: true }));
    expect(await tryOut()).toMatchObject({ body: { errors: [{ code: 'operations_team_not_found' }] } });
    expect(await send('POST', 'teams', { name: 'Night' })).toMatchObject({ status: 201, body: { name: 'Night' } });
    expect((await send('GET', 'teams')).body).toEqual(['SANDBOX_TEAM', 'Night']);
    expect(await tryOut()).toMatchObject({ body: { code: 'dry_run' } });
    expect((await send('DELETE', 'teams/Night')).status).toBe(200);
    expect((await send('GET', 'teams')).body).toEqual(['SANDBOX_TEAM']);
  });

  test('U23 an account is marked to skip, and the mark is removed', async () => {
    const { send, call } = await openAdmin();
    const mark = (marked: boolean) =>
      send('POST', 'skip', { supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1', marked });
    expect((await mark(true)).status).toBe(200);
    expect((await call('POST', STAGE, account('A-1'))).status).toBe(400);
    expect((await mark(false)).status).toBe(200);
    expect((await call('POST', STAGE, account('A-1'))).status).toBe(201);
  });

  test('U8 the industry switch is moved along, and not back', async () => {
    const { send, call, unchanged } = await openAdmin();
    await call('POST', STAGE, account('A-1'));
    await call('POST', PROCESS, processing('A-1'));
    const move = (status: string) =>
      send('POST', 'transitions', { supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1', status });
    expect(await unchanged(() => move('COMPLETED'))).toMatchObject({
      status: 400,
      body: {
        errors: [{ detail: 'Account A-1 is PENDING: IN_PROGRESS can follow, not COMPLETED.', attr: 'status' }],
      },
    });
    expect((await move('IN_PROGRESS')).status).toBe(200);
    expect((await move('REJECTED')).status).toBe(200);
    expect((await call('GET', 'account-transfer-status/SANDBOX_SUPPLIER/A-1/')).body).toMatchObject({
      status: 'REJECTED',
    });
  });

  test('U19 documents are registered below the root of their supplier', async () => {
    const { send, sandbox } = await openAdmin({ suppliers: [{ code: 'S', root: 's' }] });
    expect(await send('POST', 'documents', { supplier: 'S', paths: ['/a.pdf', '/b.pdf'] })).toMatchObject({
      status: 201,
      body: { registered: 2 },
    });
    expect(sandbox.state.documents).toEqual(['sandbox-bucket/s/a.pdf', 'sandbox-bucket/s/b.pdf']);
  });
});
