/** U3, U14, U17, U18, U19 and U32: what is added to an imported account, and the documents that it names. */
import { describe, expect, test } from 'vitest';
import type { SandboxSettings } from '../../../src/sandbox/index.js';
import { failed, invalidFields, refused } from '../support/refusals.js';
import { account, importAccount, openSandbox, STAGE } from '../support/requests.js';

const NOTES = 'notes/create/';
const STATEMENTS = 'historical-statements/create/';
const notes = (...items: Record<string, unknown>[]) => account('A-1', { notes: items });

const withAccount = async (settings: Partial<SandboxSettings>, more?: Record<string, unknown>) => {
  const talk = openSandbox({ settings });
  await importAccount(talk, 'A-1', more);
  return { ...talk, notesOf: () => talk.sandbox.state.suppliers[0]?.accounts[0]?.imported?.notes };
};

describe('U3 historicalStatementStatus', () => {
  test.each([
    [undefined, 201],
    [201, 201],
    [200, 200],
  ] as const)('U3 with %s statements (E9) are accepted with %i', async (historicalStatementStatus, status) => {
    const { post } = await withAccount(historicalStatementStatus === undefined ? {} : { historicalStatementStatus });
    const body = account('A-1', { statements: [{ statement_id: 'S-1' }] });
    expect(await post(STATEMENTS, body)).toEqual({ status, body });
  });
});

describe('U14 accountNotFound', () => {
  const CALLS: [path: string, more: Record<string, unknown>][] = [
    ['transactions/create/', { transactions: [{ type: 'CHARGE' }] }],
    [STATEMENTS, { statements: [{}] }],
    ['payment-instruction/create/', { vendor: 'VENDOR', reference: 'R-1' }],
  ];
  const ONLY_STAGED = 'The account is only staged; process it first.';

  test.each(CALLS)('U14 %s: by default, or 400, an account that is not imported is 400', async (path, more) => {
    for (const settings of [{}, { accountNotFound: 400 as const }]) {
      const { post, unchanged } = openSandbox({ settings });
      await post(STAGE, account('A-1'));
      const code = 'account_not_found';
      expect(await unchanged(() => post(path, account('A-1', more)))).toEqual(
        refused(code, 'external_account_number', ONLY_STAGED),
      );
    }
  });

  test.each(CALLS)('U14 %s: with 404 it is 404, as is one of an unknown supplier', async (path, more) => {
    const { post, unchanged } = openSandbox({ settings: { accountNotFound: 404 } });
    await post(STAGE, account('A-1'));
    expect(await unchanged(() => post(path, account('A-1', more)))).toEqual(
      failed(404, 'account_not_found', ONLY_STAGED),
    );
    expect(await unchanged(() => post(path, account('A-1', { ...more, import_supplier: 'UNKNOWN' })))).toMatchObject({
      status: 404,
      body: { code: 'account_not_found' },
    });
  });
});

describe('U17 notesWithoutBody', () => {
  const paths = (...all: string[]) => ({ document_paths: all.map((document_path) => ({ document_path })) });
  const again = async (settings: Partial<SandboxSettings>, note: Record<string, unknown>) => {
    const { post, notesOf } = await withAccount(settings);
    await post(NOTES, notes(note));
    const { body } = await post(NOTES, notes(note));
    return [(body as { status: string }[])[0]?.status, notesOf()?.length];
  };

  test("U17 by default, or 'compare-paths', the same paths are the same note", async () => {
    expect(await again({}, paths('/a', '/b'))).toEqual(['NOTE_ALREADY_EXISTS', 1]);
    expect(await again({ notesWithoutBody: 'compare-paths' }, paths('/a', '/b'))).toEqual(['NOTE_ALREADY_EXISTS', 1]);
  });

  test("U17 with 'always-new' they are another note; the same body is not", async () => {
    expect(await again({ notesWithoutBody: 'always-new' }, paths('/a', '/b'))).toEqual(['NOTE_CREATION_SUCCESS', 2]);
    expect(await again({ notesWithoutBody: 'always-new' }, { body: 'Apple' })).toEqual(['NOTE_ALREADY_EXISTS', 1]);
  });
});

describe('U18 unpinAt', () => {
  const PINNED = { body: 'Apple', is_pinned: true, unpin_at: '2026-01-15T10:00:00+00:00' };
  const pinnedAfter = async (settings: Partial<SandboxSettings>, ms: number) => {
    const { post, sandbox, notesOf } = await withAccount(settings);
    await post(NOTES, notes(PINNED));
    sandbox.clock.advance(ms);
    return notesOf()?.map(({ is_pinned, unpin_at }) => [is_pinned, unpin_at]);
  };

  test("U18 by default, or 'stored', the time is kept and nothing happens at it", async () => {
    expect(await pinnedAfter({}, 86_400_000)).toEqual([[true, '2026-01-15T10:00:00+00:00']]);
    expect(await pinnedAfter({ unpinAt: 'stored' }, 86_400_000)).toEqual([[true, '2026-01-15T10:00:00+00:00']]);
  });

  test("U18 with 'unpins' the note is unpinned when the clock reaches it, and no sooner", async () => {
    expect(await pinnedAfter({ unpinAt: 'unpins' }, 3_599_000)).toEqual([[true, '2026-01-15T10:00:00+00:00']]);
    expect(await pinnedAfter({ unpinAt: 'unpins' }, 3_600_000)).toEqual([[false, '2026-01-15T10:00:00+00:00']]);
  });

  test("U18 with 'unpins' a note whose time has passed already is not pinned", async () => {
    const { post, notesOf } = await withAccount({ unpinAt: 'unpins' });
    await post(NOTES, notes({ ...PINNED, unpin_at: '2026-01-15T09:00:00Z' }));
    expect(notesOf()).toMatchObject([{ body: 'Apple', is_pinned: false }]);
  });
});

describe('U19 missingDocuments', () => {
  const BUCKET = { bucket: 'customer-files', known: ['customer-files/north/known.pdf'] };
  const SUPPLIERS = [{ code: 'SANDBOX_SUPPLIER', root: 'north' }];
  const open = (settings: Partial<SandboxSettings>) =>
    openSandbox({ settings, documents: BUCKET, suppliers: SUPPLIERS });
  const ACCOUNT = account('A-1', {
    statements: [{ statement_path: '/known.pdf' }, { statement_path: '/1.pdf' }],
    notes: [{ body: 'Apple', document_paths: [{ document_path: '/known.pdf' }, { document_path: '/2.pdf' }] }],
  });
  const missing = (attr: string, path: string) => ({
    detail: `No document is registered at customer-files/north${path}. Put it there: sandbox.registerDocuments(...).`,
    code: 'document_not_found',
    attr,
  });

  test("U19 by default, or with 'accept', a missing document is accepted", async () => {
    for (const settings of [{}, { missingDocuments: 'accept' as const }]) {
      const { post } = open(settings);
      expect((await post('validate-account/', ACCOUNT)).status).toBe(200);
      expect((await post(STAGE, ACCOUNT)).status).toBe(201);
    }
  });

  test.each(['validate-account/', STAGE])("U19 with 'refuse' %s names each path", async (path) => {
    const { post, sandbox, unchanged } = open({ missingDocuments: 'refuse' });
    const first = missing('statements.1.statement_path', '/1.pdf');
    const second = missing('notes.0.document_paths.1.document_path', '/2.pdf');
    expect(await unchanged(() => post(path, ACCOUNT))).toEqual(
      invalidFields('account_failed_validation', first, second),
    );
    sandbox.registerDocuments('SANDBOX_SUPPLIER', ['/1.pdf', '/2.pdf']);
    expect((await post(path, ACCOUNT)).status).toBeLessThan(300);
  });

  test("U19 with 'refuse' notes and statements of an imported account name each path", async () => {
    const talk = open({ missingDocuments: 'refuse' });
    const { post, sandbox, unchanged } = talk;
    await importAccount(talk, 'A-1');
    const note = notes({ document_paths: [{ document_path: '/1.pdf' }] });
    const statement = account('A-1', { statements: [{}, { statement_path: '/2.pdf' }] });
    expect(await unchanged(() => post(NOTES, note))).toMatchObject({
      status: 400,
      body: {
        code: 'validation_failed',
        errors: [missing('notes.0.document_paths.0.document_path', '/1.pdf')],
      },
    });
    expect(await unchanged(() => post(STATEMENTS, statement))).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', errors: [missing('statements.1.statement_path', '/2.pdf')] },
    });
    sandbox.registerDocuments('SANDBOX_SUPPLIER', ['/1.pdf', '/2.pdf']);
    expect([(await post(NOTES, note)).status, (await post(STATEMENTS, statement)).status]).toEqual([201, 201]);
  });

  test("U19 with 'refuse' a missing document and a missing contract are reported together", async () => {
    const { post, unchanged } = open({ missingDocuments: 'refuse' });
    const sent = account('A-1', {
      business: { business_contract_identifier: 'C-1' },
      statements: [{ statement_path: '/1.pdf' }],
    });
    const { body } = await unchanged(() => post(STAGE, sent));
    expect((body as { errors: { code: string }[] }).errors.map(({ code }) => code)).toEqual([
      'document_not_found',
      'business_contract_not_found',
    ]);
  });
});

describe('U32 itemEntries', () => {
  const transactions = (...ids: string[]) =>
    account('A-1', { transactions: ids.map((transaction_id) => ({ transaction_id, type: 'CREDIT', amount: 1 })) });

  const NOTED = ['NOTE_ALREADY_EXISTS', 'NOTE_CREATION_SUCCESS'];
  const BOOKED = ['TRANSACTION_ALREADY_EXISTS', 'TRANSACTION_ADDED_TO_ACCOUNT'];
  test.each([
    [undefined, NOTED, BOOKED],
    ['each', NOTED, BOOKED],
    ['added-only', ['NOTE_CREATION_SUCCESS'], ['TRANSACTION_ADDED_TO_ACCOUNT']],
  ] as const)(
    'U32 with %s the answer has these entries for an item that is there and a new one',
    async (itemEntries, ofNotes, ofTransactions) => {
      const { post } = await withAccount(itemEntries === undefined ? {} : { itemEntries });
      await post(NOTES, notes({ body: 'one' }));
      const noted = (await post(NOTES, notes({ body: 'one' }, { body: 'two' }))).body as { status: string }[];
      expect(noted.map(({ status }) => status)).toEqual(ofNotes);
      await post('transactions/create/', transactions('T-1'));
      const { results } = (await post('transactions/create/', transactions('T-1', 'T-2'))).body as {
        results: { status: string }[];
      };
      expect(results.map(({ status }) => status)).toEqual(ofTransactions);
    },
  );
});
