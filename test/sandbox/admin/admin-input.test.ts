/** Bad input of any kind: one clear refusal, and nothing changed. */
import { describe, expect, test } from 'vitest';
import { openAdmin } from '../support/admin-requests.js';

describe('admin: input', () => {
  test.each([
    ['POST', 'clock', '[]', 'not_an_object', ''],
    ['POST', 'clock', '{', 'malformed_json', ''],
    ['POST', 'clock', {}, 'required', ''],
    ['POST', 'clock', { advance_ms: 1, now: '2026-01-15T09:00:00Z' }, 'required', ''],
    ['POST', 'clock', { advance_ms: '1' }, 'invalid_type', 'advance_ms'],
    ['POST', 'clock', { advance_ms: -1 }, 'invalid_time', 'advance_ms'],
    ['POST', 'clock', { advance_ms: 1e15 }, 'invalid_time', 'advance_ms'],
    ['POST', 'clock', { now: 'tomorrow' }, 'invalid_datetime', 'now'],
    ['POST', 'reset', { hard: true }, 'unknown_field', 'hard'],
    ['POST', 'reset?hard=true', {}, 'unknown_field', 'hard'],
    ['POST', 'reset?space=a.b', {}, 'invalid_name', 'space'],
    ['POST', 'faults', { effect: 'explode' }, 'invalid_fault', ''],
    ['POST', 'faults', {}, 'invalid_fault', ''],
    ['POST', 'processing', { hold: 'yes' }, 'invalid_type', 'hold'],
    ['POST', 'snapshots', { name: ' ' }, 'blank', 'name'],
    ['POST', 'snapshots', {}, 'required', 'name'],
    ['PUT', 'snapshot', { format: 'data-import-sdk sandbox 1', state: {} }, 'invalid_snapshot', ''],
    ['POST', 'suppliers', { code: '' }, 'blank', 'code'],
    ['POST', 'suppliers', { code: 'B', status: 'Open' }, 'invalid_choice', 'status'],
    ['POST', 'suppliers', { code: 'SANDBOX_SUPPLIER' }, 'supplier_refused', 'code'],
    ['PATCH', 'suppliers/SANDBOX_SUPPLIER', { status: 'ongoing' }, 'invalid_choice', 'status'],
    ['PATCH', 'suppliers/SANDBOX_SUPPLIER', {}, 'required', 'status'],
    ['POST', 'teams', { name: '' }, 'blank', 'name'],
    ['POST', 'teams', { name: 'SANDBOX_TEAM' }, 'team_refused', 'name'],
    [
      'POST',
      'skip',
      { supplier: 'UNKNOWN', external_account_number: 'A-1', marked: true },
      'supplier_not_found',
      'supplier',
    ],
    ['POST', 'skip', { supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' }, 'required', 'marked'],
    ['POST', 'documents', { supplier: 'UNKNOWN', paths: ['/a.pdf'] }, 'supplier_not_found', 'supplier'],
    ['POST', 'documents', { supplier: 'SANDBOX_SUPPLIER', paths: [''] }, 'blank', 'paths.0'],
    [
      'POST',
      'transitions',
      { supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1', status: 'IN_PROGRESS' },
      'transition_refused',
      'external_account_number',
    ],
    [
      'POST',
      'transitions',
      { supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1', status: 'PENDING' },
      'invalid_choice',
      'status',
    ],
    ['GET', 'requests?limit=0', undefined, 'invalid_number', 'limit'],
    ['GET', 'requests?limit=1001', undefined, 'invalid_number', 'limit'],
    ['GET', 'requests?after=-1', undefined, 'invalid_number', 'after'],
    ['GET', 'requests?status=4', undefined, 'invalid_choice', 'status'],
    ['GET', 'requests?operation=accounts.stag', undefined, 'invalid_choice', 'operation'],
    ['GET', 'requests?page=2', undefined, 'unknown_field', 'page'],
    ['GET', 'accounts?stage=lost', undefined, 'invalid_choice', 'stage'],
    ['GET', 'accounts?offset=x', undefined, 'invalid_number', 'offset'],
  ])('%s %s with %j is 400 with code and attr, and changes nothing', async (method, path, body, code, attr) => {
    const { send, unchanged } = await openAdmin();
    const refused = await unchanged(() => send(method, path, body));
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ code, attr }] } });
    expect(JSON.stringify(refused.body)).toMatch(/"detail":"[^:]/);
  });

  test.each([
    ['PATCH', 'suppliers/UNKNOWN', { status: 'Paused' }, 'supplier_not_found'],
    ['DELETE', 'teams/unknown', undefined, 'team_not_found'],
    ['DELETE', 'faults/none', undefined, 'fault_not_found'],
    ['DELETE', 'snapshots/none', undefined, 'snapshot_not_found'],
    ['POST', 'snapshots/none/restore', undefined, 'snapshot_not_found'],
    ['GET', 'accounts/SANDBOX_SUPPLIER/none', undefined, 'account_not_found'],
    ['GET', 'accounts/UNKNOWN/none', undefined, 'account_not_found'],
    ['GET', 'nowhere', undefined, 'not_found'],
  ])('%s %s is 404 %s', async (method, path, body, code) => {
    const { send, unchanged } = await openAdmin();
    expect(await unchanged(() => send(method, path, body))).toMatchObject({ status: 404, body: { code } });
  });

  test('another method is 405 and names those that there are', async () => {
    const { send, unchanged } = await openAdmin();
    const { status, headers } = await unchanged(() => send('PUT', 'clock', {}));
    expect([status, headers['allow']]).toEqual([405, 'GET, POST']);
  });

  test('a body of more than 10 MB is 413, but for a snapshot', { tags: 'long' }, async () => {
    const { send, unchanged } = await openAdmin();
    const large = { name: 'x'.repeat(11 * 1024 * 1024) };
    expect(await unchanged(() => send('POST', 'teams', large))).toMatchObject({ status: 413 });
    expect(await unchanged(() => send('PUT', 'snapshot', large))).toMatchObject({ status: 400 });
  });
});
