import { describe, expect, test } from 'vitest';
import { added, answered, charge, PATH, payload, resultsOf, withAccount } from '../support/billed-account.js';

describe('E8 open statement period', () => {
  const FORCE_OFF = `${PATH}?force_add_to_current_statement=false`;

  test('E8 transactions: a date outside the period is moved into it, with a description, and one note is pinned', async () => {
    const { post, imported } = await withAccount();
    const answer = await post(
      PATH,
      payload(charge({ transaction_date: '2025-12-31' }), charge({ transaction_id: 'T-2' })),
    );
    const description =
      'Dated 2025-12-31, outside the open statement period (2026-01-01 to 2026-01-15); moved to 2026-01-01.';
    expect(answer).toEqual({
      status: 201,
      body: {
        results: [
          added(answered({ transaction_date: '2026-01-01', description })),
          added(answered({ transaction_id: 'T-2' })),
        ],
      },
    });
    expect(imported()?.notes).toEqual([
      { body: `Transaction T-1 was imported. ${description}`, created_at: '2026-01-15T09:00:00Z', is_pinned: true },
    ]);
  });

  test.each([
    ['2025-12-31', '2026-01-01'],
    ['2026-01-01', '2026-01-01'],
    ['2026-01-15', '2026-01-15'],
    ['2026-01-16', '2026-01-15'],
  ])('E8 transactions: both ends belong to the period: %s becomes %s (U16)', async (given, added) => {
    const { post } = await withAccount();
    const [result] = resultsOf(await post(PATH, payload(charge({ transaction_date: given }))));
    expect(result?.transaction_data['transaction_date']).toBe(added);
    expect('description' in (result?.transaction_data ?? {})).toBe(given !== added);
  });

  test('E8 transactions: one pinned note for each that was moved; a transaction without id is named by its type', async () => {
    const { post, imported } = await withAccount();
    const old = charge({ transaction_date: '2020-01-01' });
    const { transaction_id: _, ...nameless } = old;
    await post(PATH, payload(old, { ...old, transaction_id: 'T-2' }, nameless));
    expect(imported()?.notes.map(({ body, is_pinned }) => [body?.slice(0, 30), is_pinned])).toEqual([
      ['Transaction T-1 was imported. ', true],
      ['Transaction T-2 was imported. ', true],
      ['A CHARGE transaction was impor', true],
    ]);
  });

  test('E8 transactions: a moved one that is sent again exists already, and pins no second note', async () => {
    const { post, imported } = await withAccount();
    const old = charge({ transaction_date: '2020-01-01' });
    await post(PATH, payload(old));
    const [again] = resultsOf(await post(PATH, payload(old)));
    expect(again).toMatchObject({
      status: 'TRANSACTION_ALREADY_EXISTS',
      transaction_data: { transaction_date: '2026-01-01' },
    });
    expect(imported()?.notes).toHaveLength(1);
  });

  test('E8 transactions: with force off, the first one outside the period is 400, and the batch is not kept (U15)', async () => {
    const { post, unchanged } = await withAccount();
    const body = payload(
      charge(),
      charge({ transaction_id: 'T-2', transaction_date: '2025-12-31' }),
      charge({ transaction_id: 'T-3', transaction_date: '2026-02-01' }),
    );
    expect(await unchanged(() => post(FORCE_OFF, body))).toEqual({
      status: 400,
      body: {
        status: 'TRANSACTION_IMPORT_ERROR',
        error_detail: 'transaction_date 2025-12-31 lies outside the open statement period (2026-01-01 to 2026-01-15).',
        transaction_data: answered({ transaction_id: 'T-2', transaction_date: '2025-12-31' }),
      },
    });
  });

  test('E8 transactions: with force off, one inside the period is added, and one that exists is skipped unseen', async () => {
    const { post } = await withAccount();
    expect((await post(FORCE_OFF, payload(charge()))).status).toBe(201);
    const moved = charge({ transaction_id: 'T-2', transaction_date: '2020-01-01' });
    await post(PATH, payload(moved));
    const [again] = resultsOf(await post(FORCE_OFF, payload(moved)));
    expect(again?.status).toBe('TRANSACTION_ALREADY_EXISTS');
  });

  test('E8 transactions: without any billing before, the period has no beginning (U16)', async () => {
    const { post } = await withAccount({});
    expect((await post(FORCE_OFF, payload(charge({ transaction_date: '1999-01-01' })))).status).toBe(201);
    expect(
      await post(FORCE_OFF, payload(charge({ transaction_id: 'T-2', transaction_date: '2026-01-16' }))),
    ).toMatchObject({
      status: 400,
      body: { error_detail: 'transaction_date 2026-01-16 lies outside the open statement period (up to 2026-01-15).' },
    });
  });

  test('E8 transactions: without last_billed_to_date the period begins after the last statement (U16)', async () => {
    const { post } = await withAccount({
      statements: [{ bill_period_to_date: '2025-11-30' }, { bill_period_to_date: '2025-10-31' }, {}],
    });
    expect((await post(FORCE_OFF, payload(charge({ transaction_date: '2025-11-30' })))).status).toBe(400);
    expect((await post(FORCE_OFF, payload(charge({ transaction_date: '2025-12-01' })))).status).toBe(201);
    await post('historical-statements/create/', {
      import_supplier: 'SANDBOX_SUPPLIER',
      external_account_number: 'A-1',
      statements: [{ bill_period_to_date: '2025-12-31' }],
    });
    const late = payload(charge({ transaction_id: 'T-2', transaction_date: '2025-12-31' }));
    expect((await post(FORCE_OFF, late)).status).toBe(400);
  });

  test('E8 transactions: last_billed_to_date takes precedence over the statements (U16)', async () => {
    const { post } = await withAccount({
      last_billed_to_date: '2025-11-30',
      statements: [{ bill_period_to_date: '2025-12-31' }],
    });
    expect((await post(FORCE_OFF, payload(charge({ transaction_date: '2025-12-01' })))).status).toBe(201);
  });

  test.each([
    ['2026-01-15', '2026-01-16'],
    ['2026-06-30', '2026-07-01'],
    ['9999-12-31', '9999-12-31'],
  ])('E8 transactions: billed to %s, today or later, the period is the one day %s (U16)', async (billed, day) => {
    const { post } = await withAccount({ last_billed_to_date: billed });
    for (const transaction_date of ['2026-01-10', '9999-12-31']) {
      const item = charge({ transaction_id: `T ${transaction_date}`, transaction_date });
      const [result] = resultsOf(await post(PATH, payload(item)));
      expect(result?.transaction_data['transaction_date']).toBe(day);
    }
  });

  test('E8 transactions: the period grows with the clock (U16)', async () => {
    const { post, sandbox, unchanged } = await withAccount();
    const body = payload(charge({ transaction_date: '2026-01-16' }));
    expect((await unchanged(() => post(FORCE_OFF, body))).status).toBe(400);
    sandbox.clock.advance(15 * 3_600_000);
    expect((await post(FORCE_OFF, body)).status).toBe(201);
  });

  test('E8 transactions: one without a date is added unchanged', async () => {
    const { post } = await withAccount();
    const [result] = resultsOf(await post(FORCE_OFF, payload({ type: 'CREDIT' })));
    expect(result).toEqual({ status: 'TRANSACTION_ADDED_TO_ACCOUNT', transaction_data: { type: 'CREDIT' } });
  });
});
