import { expect, test } from 'vitest';
import { failed, invalid } from '../support/refusals.js';
import { account, importAccount, openSandbox, STAGE } from '../support/requests.js';

const PATH = 'notes/create/';
const notes = (...items: Record<string, unknown>[]) => ({
  import_supplier: 'SANDBOX_SUPPLIER',
  external_account_number: 'A-1',
  notes: items,
});

const withAccount = async (more: Record<string, unknown> = {}) => {
  const talk = openSandbox();
  await importAccount(talk, 'A-1', more);
  const notesOf = () => talk.sandbox.state.suppliers[0]?.accounts[0]?.imported?.notes;
  return { ...talk, notesOf };
};

test('E7 notes: 201 with one item a note, in the order of the request', async () => {
  const { post } = await withAccount();
  const body = notes(
    { body: 'Zebra', created_at: '2025-05-01T10:00:00+02:00' },
    { body: 'Apple' },
    { body: 'Mango', created_at: '2025-04-01T10:00:00Z' },
  );
  expect(await post(PATH, body)).toEqual({
    status: 201,
    body: [
      { created_at: '2025-05-01T10:00:00+02:00', body: 'Zebra', status: 'NOTE_CREATION_SUCCESS' },
      { created_at: '2026-01-15T09:00:00Z', body: 'Apple', status: 'NOTE_CREATION_SUCCESS' },
      { created_at: '2025-04-01T10:00:00Z', body: 'Mango', status: 'NOTE_CREATION_SUCCESS' },
    ],
  });
});

test('E7 notes: the same body again is NOTE_ALREADY_EXISTS, and no second note', async () => {
  const { post, sandbox, notesOf } = await withAccount();
  await post(PATH, notes({ body: 'Apple' }));
  sandbox.clock.advance(3_600_000);
  expect(await post(PATH, notes({ body: 'Apple' }))).toEqual({
    status: 201,
    body: [{ created_at: '2026-01-15T09:00:00Z', body: 'Apple', status: 'NOTE_ALREADY_EXISTS' }],
  });
  expect(notesOf()).toHaveLength(1);
});

test('E7 notes: the same body with another created_at is a new note; with the same one it is not', async () => {
  const { post, notesOf } = await withAccount();
  await post(PATH, notes({ body: 'Apple', created_at: '2025-05-01T10:00:00+02:00' }));
  expect(await post(PATH, notes({ body: 'Apple', created_at: '2025-05-01T10:00:00Z' }))).toEqual({
    status: 201,
    body: [{ created_at: '2025-05-01T10:00:00Z', body: 'Apple', status: 'NOTE_CREATION_SUCCESS' }],
  });
  expect(await post(PATH, notes({ body: 'Apple', created_at: '2025-05-01T08:00:00Z' }))).toEqual({
    status: 201,
    body: [{ created_at: '2025-05-01T10:00:00+02:00', body: 'Apple', status: 'NOTE_ALREADY_EXISTS' }],
  });
  expect(notesOf()).toHaveLength(2);
});

test('E7 notes: without created_at only the bodies are compared', async () => {
  const { post, notesOf } = await withAccount();
  await post(PATH, notes({ body: 'Apple', created_at: '2025-05-01T10:00:00Z' }));
  expect((await post(PATH, notes({ body: 'Apple' }))).body).toEqual([
    { created_at: '2025-05-01T10:00:00Z', body: 'Apple', status: 'NOTE_ALREADY_EXISTS' },
  ]);
  expect(notesOf()).toHaveLength(1);
});

test('E7 notes: the same body on another account is a new note', async () => {
  const talk = await withAccount();
  await importAccount(talk, 'A-2');
  await talk.post(PATH, notes({ body: 'Apple', created_at: '2025-05-01T10:00:00Z' }));
  const other = { ...notes({ body: 'Apple', created_at: '2025-05-01T10:00:00Z' }), external_account_number: 'A-2' };
  expect((await talk.post(PATH, other)).body).toEqual([
    { created_at: '2025-05-01T10:00:00Z', body: 'Apple', status: 'NOTE_CREATION_SUCCESS' },
  ]);
});

test('E7 notes: twice in one request is created once', async () => {
  const { post, notesOf } = await withAccount();
  expect((await post(PATH, notes({ body: 'Apple' }, { body: 'Apple' }))).body).toEqual([
    { created_at: '2026-01-15T09:00:00Z', body: 'Apple', status: 'NOTE_CREATION_SUCCESS' },
    { created_at: '2026-01-15T09:00:00Z', body: 'Apple', status: 'NOTE_ALREADY_EXISTS' },
  ]);
  expect(notesOf()).toHaveLength(1);
});

test('E7 notes: notes of the staged payload exist already once the account is imported (U17)', async () => {
  const { post, notesOf } = await withAccount({
    notes: [{ body: 'Staged' }, { document_paths: [{ document_path: '/a.pdf' }] }],
  });
  const again = notes({ body: 'Staged' }, { document_paths: [{ document_path: '/a.pdf' }] }, { body: 'New' });
  expect((await post(PATH, again)).body).toEqual([
    { created_at: '2026-01-15T09:00:00Z', body: 'Staged', status: 'NOTE_ALREADY_EXISTS' },
    { created_at: '2026-01-15T09:00:00Z', body: null, status: 'NOTE_ALREADY_EXISTS' },
    { created_at: '2026-01-15T09:00:00Z', body: 'New', status: 'NOTE_CREATION_SUCCESS' },
  ]);
  expect(notesOf()).toHaveLength(3);
});

test('E7 notes: of notes with only document_paths the paths are compared (U17)', async () => {
  const { post } = await withAccount();
  const documents = (...paths: string[]) => ({ document_paths: paths.map((document_path) => ({ document_path })) });
  const statusOf = async (note: Record<string, unknown>) => (await post(PATH, notes(note))).body;
  expect(await statusOf(documents('/a.pdf'))).toMatchObject([{ status: 'NOTE_CREATION_SUCCESS' }]);
  expect(await statusOf(documents('/a.pdf'))).toMatchObject([{ status: 'NOTE_ALREADY_EXISTS' }]);
  expect(await statusOf(documents('/a.pdf', '/b.pdf'))).toMatchObject([{ status: 'NOTE_CREATION_SUCCESS' }]);
  expect(await statusOf({ ...documents('/a.pdf'), body: 'With text' })).toMatchObject([
    { status: 'NOTE_CREATION_SUCCESS' },
  ]);
  expect(await statusOf({ body: '["/a.pdf"]' })).toMatchObject([{ status: 'NOTE_CREATION_SUCCESS' }]);
});

test('E7 notes: is_pinned, unpin_at and documents are stored', async () => {
  const { post, notesOf } = await withAccount();
  const paths = [{ document_path: '/a.pdf' }];
  await post(
    PATH,
    notes(
      { body: 'Apple', is_pinned: true, unpin_at: '2026-03-01T00:00:00Z', document_paths: paths },
      { body: 'Mango' },
    ),
  );
  expect(notesOf()).toEqual([
    {
      body: 'Apple',
      document_paths: [{ document_path: '/a.pdf' }],
      created_at: '2026-01-15T09:00:00Z',
      is_pinned: true,
      unpin_at: '2026-03-01T00:00:00Z',
    },
    { body: 'Mango', created_at: '2026-01-15T09:00:00Z', is_pinned: false },
  ]);
});

test('E7 notes: neither body nor document_paths is 400, and no note of the request is created', async () => {
  const { post, unchanged } = await withAccount();
  expect(await unchanged(() => post(PATH, notes({ body: 'Apple' }, { is_pinned: true })))).toEqual(
    invalid('required', 'notes.1', 'A note must contain at least one of body or document_paths.'),
  );
});

test('E7 notes: an account that is only staged is 404', async () => {
  const { post, unchanged } = openSandbox();
  await post(STAGE, account('A-1'));
  expect(await unchanged(() => post(PATH, notes({ body: 'Apple' })))).toEqual(
    failed(404, 'account_not_found', 'The account is only staged; process it first.'),
  );
});

test('E7 notes: an unknown account and a wrong supplier are 404', async () => {
  const talk = openSandbox({ suppliers: [{ code: 'SANDBOX_SUPPLIER' }, { code: 'SOUTH' }] });
  const { post, unchanged } = talk;
  await importAccount(talk, 'A-1');
  const unknown = { ...notes({ body: 'Apple' }), external_account_number: 'A-2' };
  const wrongSupplier = { ...notes({ body: 'Apple' }), import_supplier: 'SOUTH' };
  const missing = failed(404, 'account_not_found', 'No account of this import supplier has this number.');
  expect(await unchanged(() => post(PATH, unknown))).toEqual(missing);
  expect(await unchanged(() => post(PATH, wrongSupplier))).toEqual(missing);
  const unknownSupplier = { ...notes({ body: 'Apple' }), import_supplier: 'UNKNOWN' };
  expect(await unchanged(() => post(PATH, unknownSupplier))).toEqual(
    failed(
      404,
      'account_not_found',
      'No import supplier has the code "UNKNOWN". This sandbox knows: SANDBOX_SUPPLIER, SOUTH. ' +
        'Add one with createSandbox({ suppliers: [{ code: "UNKNOWN" }] }).',
    ),
  );
});
