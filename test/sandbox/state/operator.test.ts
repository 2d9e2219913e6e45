/** What the operator does, and no REST call can. */
import { expect, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { account, importAccount, openSandbox, PROCESS, processing, STAGE } from '../support/requests.js';

test('a supplier that is added may stage at once, from the root that it is given (C7)', async () => {
  const { post, sandbox } = openSandbox();
  sandbox.addSupplier({ code: 'SOUTH', root: 'south' });
  const sent = account('A-1', { import_supplier: 'SOUTH', statements: [{ statement_path: '/1.pdf' }] });
  expect((await post(STAGE, sent)).status).toBe(201);
  expect(sandbox.state.suppliers[1]).toMatchObject({
    code: 'SOUTH',
    status: 'Ongoing',
    root: 'south',
    accounts: [{ documents: [{ path: '/1.pdf', location: 'sandbox-bucket/south/1.pdf' }] }],
  });
  sandbox.addSupplier({ code: 'EAST', status: 'Complete' });
  expect((await post(STAGE, account('A-1', { import_supplier: 'EAST' }))).body).toMatchObject({
    code: 'import_supplier_not_ongoing',
  });
});

test('a team that is added may be named by process, one that is taken away no longer', async () => {
  const talk = openSandbox({ teams: ['WEST'] });
  const { post, sandbox, unchanged } = talk;
  await post(STAGE, account('A-1'));
  const process = processing('A-1', { operations_team_name: 'EAST' });
  expect((await unchanged(() => post(PROCESS, process))).status).toBe(400);
  sandbox.addTeam('EAST');
  sandbox.removeTeam('WEST');
  expect(sandbox.state.teams).toEqual(['EAST']);
  expect((await post(PROCESS, process)).status).toBe(201);
});

test('a mark to skip can be taken away, and the account is staged again (U23)', async () => {
  const { post, sandbox, unchanged } = openSandbox();
  sandbox.skip('SANDBOX_SUPPLIER', 'A-1');
  sandbox.skip('SANDBOX_SUPPLIER', 'A-2', true);
  expect(await unchanged(() => post(STAGE, account('A-1')))).toMatchObject({
    status: 400,
    body: { code: 'account_marked_to_skip' },
  });
  sandbox.skip('SANDBOX_SUPPLIER', 'A-1', false);
  sandbox.skip('SANDBOX_SUPPLIER', 'A-1', false);
  expect((await post(STAGE, account('A-1'))).status).toBe(201);
  expect(sandbox.state.suppliers[0]?.skipped).toEqual(['A-2']);
});

test('documents are registered at the locations of the supplier, each once (U19)', () => {
  const sandbox = createSandbox({
    suppliers: [{ code: 'NORTH', root: 'north' }],
    documents: { bucket: 'customer-files', known: ['customer-files/north/1.pdf'] },
  });
  sandbox.registerDocuments('NORTH', ['/1.pdf', '/2.pdf', '/2.pdf']);
  expect(sandbox.state.documents).toEqual(['customer-files/north/1.pdf', 'customer-files/north/2.pdf']);
});

test('registered documents are part of the state: a snapshot restores them, a reset removes them', async () => {
  const { post, sandbox } = openSandbox({ settings: { missingDocuments: 'refuse' } });
  const statusOf = async () =>
    (await post('validate-account/', account('A-1', { statements: [{ statement_path: '/1.pdf' }] }))).status;
  sandbox.registerDocuments('SANDBOX_SUPPLIER', ['/1.pdf']);
  const snapshot = sandbox.snapshot();
  sandbox.reset();
  expect(await statusOf()).toBe(400);
  sandbox.restore(snapshot);
  expect(await statusOf()).toBe(200);
});

type Operation = (sandbox: ReturnType<typeof createSandbox>) => void;
test.each<[string, Operation]>([
  ['An import supplier needs a code: expected a string that is not empty.', (s) => s.addSupplier({ code: '' })],
  [
    'An import supplier needs a code: expected a string that is not empty.',
    (s) => s.addSupplier({ code: 7 as unknown as string }),
  ],
  ['An import supplier with the code SANDBOX_SUPPLIER exists.', (s) => s.addSupplier({ code: 'SANDBOX_SUPPLIER' })],
  [
    'An import supplier is Ongoing, Paused, Complete; found Closed.',
    (s) => s.addSupplier({ code: 'SOUTH', status: 'Closed' as 'Paused' }),
  ],
  [
    'The root of import supplier SOUTH must be a string.',
    (s) => s.addSupplier({ code: 'SOUTH', root: 7 as unknown as string }),
  ],
  ['An operations team needs a name: expected a string that is not empty.', (s) => s.addTeam('')],
  ['An operations team with the name SANDBOX_TEAM exists.', (s) => s.addTeam('SANDBOX_TEAM')],
  ['No operations team has the name UNKNOWN. There are: SANDBOX_TEAM.', (s) => s.removeTeam('UNKNOWN')],
  ['No import supplier has the code UNKNOWN. There are: SANDBOX_SUPPLIER.', (s) => s.skip('UNKNOWN', 'A-1')],
  [
    'An account to skip needs its external account number: expected a string that is not empty.',
    (s) => s.skip('SANDBOX_SUPPLIER', ''),
  ],
  [
    'No import supplier has the code UNKNOWN. There are: SANDBOX_SUPPLIER.',
    (s) => s.registerDocuments('UNKNOWN', ['/1.pdf']),
  ],
  [
    'A document needs a path: expected a string that is not empty.',
    (s) => s.registerDocuments('SANDBOX_SUPPLIER', ['/1.pdf', '']),
  ],
])('what cannot be is refused, and nothing is changed: %s', (message, operation) => {
  const sandbox = createSandbox();
  const before = structuredClone(sandbox.state);
  expect(() => operation(sandbox)).toThrow(expect.objectContaining({ message }));
  expect(sandbox.state).toEqual(before);
});

test('the last team may go; then process names none', async () => {
  const talk = openSandbox();
  talk.sandbox.removeTeam('SANDBOX_TEAM');
  expect(() => talk.sandbox.removeTeam('SANDBOX_TEAM')).toThrow(
    'No operations team has the name SANDBOX_TEAM. There are: none.',
  );
  await talk.post(STAGE, account('A-1'));
  expect((await talk.post(PROCESS, processing('A-1'))).status).toBe(400);
  talk.sandbox.addTeam('SANDBOX_TEAM');
  await importAccount(talk, 'A-2');
});
