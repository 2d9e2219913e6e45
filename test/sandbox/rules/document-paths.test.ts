import { expect, test } from 'vitest';
import { account, openSandbox, PROCESS, processing, STAGE, type Talk } from '../support/requests.js';

const options = {
  suppliers: [{ code: 'SANDBOX_SUPPLIER', root: 'north/documents' }],
  documents: { bucket: 'customer-files' },
};
const documentsOf = ({ sandbox }: Talk) => sandbox.state.suppliers[0]?.accounts[0]?.documents;

test('C7 the documents of a staged account resolve to bucket, root and path, and are replaced with the payload', async () => {
  const talk = openSandbox(options);
  await talk.post(
    STAGE,
    account('A-1', {
      statements: [{ statement_path: '/statements/1.pdf' }, { statement_id: 'S-2' }],
      notes: [{ body: 'Call', document_paths: [{ document_path: '/calls/1.txt' }] }, { body: 'Plain' }],
    }),
  );
  expect(documentsOf(talk)).toEqual([
    { path: '/statements/1.pdf', location: 'customer-files/north/documents/statements/1.pdf' },
    { path: '/calls/1.txt', location: 'customer-files/north/documents/calls/1.txt' },
  ]);
  await talk.post(STAGE, account('A-1', { statements: [{ statement_path: '/statements/2.pdf' }] }));
  expect(documentsOf(talk)).toEqual([
    { path: '/statements/2.pdf', location: 'customer-files/north/documents/statements/2.pdf' },
  ]);
});

test('C7 documents of notes and statements after the import are added; those of a note that exists are not', async () => {
  const talk = openSandbox(options);
  const key = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' };
  await talk.post(STAGE, account('A-1', { notes: [{ body: 'Old' }] }));
  await talk.post(PROCESS, processing('A-1'));
  await talk.post('notes/create/', {
    ...key,
    notes: [
      { document_paths: [{ document_path: '/calls/1.txt' }, { document_path: '/calls/2.txt' }] },
      { body: 'Old', document_paths: [{ document_path: '/calls/3.txt' }] },
    ],
  });
  await talk.post('historical-statements/create/', {
    ...key,
    statements: [{ statement_path: '/statements/1.pdf' }, {}],
  });
  expect(documentsOf(talk)).toEqual([
    { path: '/calls/1.txt', location: 'customer-files/north/documents/calls/1.txt' },
    { path: '/calls/2.txt', location: 'customer-files/north/documents/calls/2.txt' },
    { path: '/statements/1.pdf', location: 'customer-files/north/documents/statements/1.pdf' },
  ]);
});

test('C7 without options the bucket is sandbox-bucket and the root empty', async () => {
  const talk = openSandbox();
  await talk.post(STAGE, account('A-1', { statements: [{ statement_path: '/1.pdf' }] }));
  expect(documentsOf(talk)).toEqual([{ path: '/1.pdf', location: 'sandbox-bucket//1.pdf' }]);
});

test('C7 each import supplier has its own root', async () => {
  const { post, sandbox } = openSandbox({
    suppliers: [
      { code: 'NORTH', root: 'north/documents' },
      { code: 'SOUTH', root: 'south' },
    ],
    documents: { bucket: 'customer-files' },
  });
  for (const import_supplier of ['NORTH', 'SOUTH']) {
    await post(STAGE, account('A-1', { import_supplier, statements: [{ statement_path: '/1.pdf' }] }));
  }
  expect(sandbox.state.suppliers.map(({ accounts }) => accounts[0]?.documents)).toEqual([
    [{ path: '/1.pdf', location: 'customer-files/north/documents/1.pdf' }],
    [{ path: '/1.pdf', location: 'customer-files/south/1.pdf' }],
  ]);
});
