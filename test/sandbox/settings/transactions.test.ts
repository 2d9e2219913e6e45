/** U15, U16 and U25: which transaction is known, what a failing batch leaves, and the open period. */
import { describe, expect, test } from 'vitest';
import type { SandboxSettings } from '../../../src/sandbox/index.js';
import { added, answered, charge, existing, PATH, payload, resultsOf } from '../support/billed-account.js';
import { importAccount, openSandbox } from '../support/requests.js';

/** Billed to the end of 2025; the clock stands on 2026-01-15T09:00:00Z unless `clock` says otherwise. */
const withAccount = async (settings: Partial<SandboxSettings>, clock = '2026-01-15T09:00:00Z') => {
  const talk = openSandbox({ settings, clock: new Date(clock) });
  await importAccount(talk, 'A-1', { last_billed_to_date: '2025-12-31' });
  return { ...talk, imported: () => talk.sandbox.state.suppliers[0]?.accounts[0]?.imported };
};

describe('U15 transactionIdentity', () => {
  const secondOf = async (settings: Partial<SandboxSettings>, first: object, second: object) => {
    const { post } = await withAccount(settings);
    await post(PATH, payload(charge({ ...first })));
    return resultsOf(await post(PATH, payload(charge({ ...second }))))[0]?.status;
  };

  test.each([
    [undefined, 'TRANSACTION_ALREADY_EXISTS', 'TRANSACTION_ADDED_TO_ACCOUNT'],
    ['transaction_id', 'TRANSACTION_ALREADY_EXISTS', 'TRANSACTION_ADDED_TO_ACCOUNT'],
    ['item', 'TRANSACTION_ADDED_TO_ACCOUNT', 'TRANSACTION_ADDED_TO_ACCOUNT'],
  ] as const)(
    'U15 with %s the same id with another amount is %s, another id with the same amount is %s',
    async (transactionIdentity, sameId, otherId) => {
      const settings = transactionIdentity === undefined ? {} : { transactionIdentity };
      expect(await secondOf(settings, {}, { amount: 99 })).toBe(sameId);
      expect(await secondOf(settings, {}, { transaction_id: 'T-2' })).toBe(otherId);
    },
  );

  test.each(['transaction_id', 'item'] as const)(
    'U15 with %s the same item again exists',
    async (transactionIdentity) => {
      expect(await secondOf({ transactionIdentity }, {}, {})).toBe('TRANSACTION_ALREADY_EXISTS');
      const { post } = await withAccount({ transactionIdentity });
      const answer = await post(PATH, payload(charge(), charge({ transaction_id: 'T-2' }), charge()));
      expect(resultsOf(answer).map(({ status }) => status)).toEqual([
        'TRANSACTION_ADDED_TO_ACCOUNT',
        'TRANSACTION_ADDED_TO_ACCOUNT',
        'TRANSACTION_ALREADY_EXISTS',
      ]);
    },
  );
});

describe('U15 failingBatchKeeps', () => {
  const FORCE_OFF = `${PATH}?force_add_to_current_statement=false`;
  const batch = payload(
    charge(),
    charge({ transaction_id: 'T-2', transaction_date: '2025-12-31' }),
    charge({ transaction_id: 'T-3' }),
  );
  const REFUSED = {
    status: 400,
    body: {
      status: 'TRANSACTION_IMPORT_ERROR',
      error_detail: 'transaction_date 2025-12-31 lies outside the open statement period (2026-01-01 to 2026-01-15).',
      transaction_data: answered({ transaction_id: 'T-2', transaction_date: '2025-12-31' }),
    },
  };

  test("U15 by default, or 'none', the batch is not kept", async () => {
    for (const settings of [{}, { failingBatchKeeps: 'none' as const }]) {
      const { post, unchanged } = await withAccount(settings);
      expect(await unchanged(() => post(FORCE_OFF, batch))).toEqual(REFUSED);
    }
  });

  test("U15 with 'prefix' the items before the failing one are stored, and recognised later", async () => {
    const { post, imported } = await withAccount({ failingBatchKeeps: 'prefix' });
    expect(await post(FORCE_OFF, batch)).toEqual(REFUSED);
    expect(imported()?.transactions.map(({ sent }) => sent.transaction_id)).toEqual(['T-1']);
    const corrected = payload(charge(), charge({ transaction_id: 'T-2' }), charge({ transaction_id: 'T-3' }));
    expect(resultsOf(await post(FORCE_OFF, corrected)).map(({ status }) => status)).toEqual([
      'TRANSACTION_ALREADY_EXISTS',
      'TRANSACTION_ADDED_TO_ACCOUNT',
      'TRANSACTION_ADDED_TO_ACCOUNT',
    ]);
  });
});

describe('E8 transactionDataStatus', () => {
  test("E8 by default, or 'none', transaction_data has no status", async () => {
    for (const settings of [{}, { transactionDataStatus: 'none' as const }]) {
      const { post } = await withAccount(settings);
      expect(resultsOf(await post(PATH, payload(charge(), charge())))).toEqual([
        added(answered()),
        existing(answered()),
      ]);
    }
  });

  test("E8 with 'success' they carry TRANSACTION_IMPORT_SUCCESS, added now or before; it is not stored", async () => {
    const { post, imported } = await withAccount({ transactionDataStatus: 'success' });
    const data = answered({ status: 'TRANSACTION_IMPORT_SUCCESS' });
    expect(resultsOf(await post(PATH, payload(charge(), charge())))).toEqual([added(data), existing(data)]);
    expect(imported()?.transactions).toEqual([{ sent: charge(), data: answered() }]);
  });

  test("E8 with 'success' the one that fails carries none", async () => {
    const { post } = await withAccount({ transactionDataStatus: 'success' });
    const old = charge({ transaction_date: '2025-12-31' });
    const answer = await post(`${PATH}?force_add_to_current_statement=false`, payload(old));
    expect(answer).toMatchObject({ status: 400, body: { transaction_data: { ...old, amount: '12.50' } } });
    expect((answer.body as { transaction_data: object }).transaction_data).not.toHaveProperty('status');
  });
});

describe('U16 movedDate', () => {
  test.each([
    [undefined, '2025-12-30', '2026-01-01'],
    ['nearest', '2025-12-30', '2026-01-01'],
    ['today', '2025-12-30', '2026-01-15'],
    [undefined, '2026-02-01', '2026-01-15'],
    ['nearest', '2026-02-01', '2026-01-15'],
    ['today', '2026-02-01', '2026-01-15'],
  ] as const)(
    'U16 with %s the date %s moves to %s, and the description and the note say so',
    async (movedDate, date, moved) => {
      const { post, imported } = await withAccount(movedDate === undefined ? {} : { movedDate });
      const answer = await post(PATH, payload(charge({ transaction_date: date })));
      const description = `Dated ${date}, outside the open statement period (2026-01-01 to 2026-01-15); moved to ${moved}.`;
      expect(resultsOf(answer)[0]?.transaction_data).toMatchObject({ transaction_date: moved, description });
      const body = `Transaction T-1 was imported. ${description}`;
      expect(imported()?.notes).toEqual([{ body, created_at: '2026-01-15T09:00:00Z', is_pinned: true }]);
    },
  );
});

describe('U25 timeZone', () => {
  // At half past eleven in the evening of 15 January in UTC it is the 16th in Paris and Auckland, and still the 15th in Los Angeles.
  test.each([
    [undefined, '2026-01-15T23:30:00Z', '2026-01-15'],
    ['UTC', '2026-01-15T23:30:00Z', '2026-01-15'],
    ['Europe/Paris', '2026-01-15T23:30:00Z', '2026-01-16'],
    ['Pacific/Auckland', '2026-01-15T23:30:00Z', '2026-01-16'],
    ['Pacific/Kiritimati', '2026-01-15T09:59:59Z', '2026-01-15'],
    ['Pacific/Kiritimati', '2026-01-15T10:00:00Z', '2026-01-16'],
    ['America/Los_Angeles', '2026-01-15T23:30:00Z', '2026-01-15'],
    ['America/Los_Angeles', '2026-01-15T07:59:00Z', '2026-01-14'],
    ['Etc/GMT+12', '2026-01-15T11:59:59Z', '2026-01-14'],
    ['Europe/Paris', '2026-07-01T22:00:00Z', '2026-07-02'],
    ['Europe/Paris', '2026-07-01T21:59:59Z', '2026-07-01'],
  ])('U25 with %s at %s the open period ends on %s', async (timeZone, clock, last) => {
    const { post } = await withAccount(timeZone === undefined ? {} : { timeZone }, clock);
    const sent = payload(
      charge({ transaction_date: last }),
      charge({ transaction_id: 'T-2', transaction_date: '2026-12-31' }),
    );
    expect(resultsOf(await post(PATH, sent)).map((result) => result.transaction_data['transaction_date'])).toEqual([
      last,
      last,
    ]);
    const noted = payload(charge({ transaction_id: 'T-3', transaction_date: last }));
    expect(resultsOf(await post(PATH, noted))[0]?.transaction_data).not.toHaveProperty('description');
  });
});
