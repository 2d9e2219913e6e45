import { expect, test } from 'vitest';
import { fieldError, invalidFields, unknownField } from '../support/refusals.js';
import { openSandbox } from '../support/requests.js';

const POPULATE = 'supply-point/populate/';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

test('E1 populate: valid gives 201 with a batch_id', async () => {
  const { post } = openSandbox();
  const body = { prm_ids: ['01234567890123'], pce_ids: ['GI000001'], customer_category: 'RESIDENTIAL' };
  expect(await post(POPULATE, body)).toEqual({ status: 201, body: { batch_id: expect.stringMatching(UUID) } });
});

test('E1 populate: the lookups are queued and complete at the throttled rate, by the clock', async () => {
  const { post, sandbox } = openSandbox({ settings: { lookupsPerSecond: 2 } });
  await post(POPULATE, { prm_ids: ['01234567890123'], pce_ids: ['GI000001'], customer_category: 'RESIDENTIAL' });
  await post(POPULATE, { pce_ids: ['GI000002'] });
  expect(sandbox.state.populate_batches).toEqual([
    {
      batch_id: expect.stringMatching(UUID),
      customer_category: 'RESIDENTIAL',
      queued_at: '2026-01-15T09:00:00Z',
      lookups: [
        { identifier: '01234567890123', supply_type: 'ELECTRICITY', completes_at: '2026-01-15T09:00:00.500Z' },
        { identifier: 'GI000001', supply_type: 'GAS', completes_at: '2026-01-15T09:00:01.000Z' },
      ],
    },
    {
      batch_id: expect.stringMatching(UUID),
      queued_at: '2026-01-15T09:00:00Z',
      lookups: [{ identifier: 'GI000002', supply_type: 'GAS', completes_at: '2026-01-15T09:00:01.500Z' }],
    },
  ]);
});

test('E1 populate: a batch waits for the last lookup before it, and not for empty batches', async () => {
  const { post, sandbox } = openSandbox({ settings: { lookupsPerSecond: 1 } });
  await post(POPULATE, { prm_ids: ['1', '2', '3'] });
  await post(POPULATE, {});
  await post(POPULATE, { prm_ids: ['4'] });
  expect(sandbox.state.populate_batches[2]?.lookups).toMatchObject([{ completes_at: '2026-01-15T09:00:04.000Z' }]);
});

test('E1 populate: the id of a batch depends only on its content, not on the order of batches', async () => {
  const contents = [{ prm_ids: ['1'] }, { pce_ids: ['1'] }, { customer_category: 'A' }, { customer_category: 'B' }];
  const idsInOrder = async (order: readonly object[]) => {
    const { post } = openSandbox();
    const ids = new Map<object, unknown>();
    for (const content of order) ids.set(content, (await post(POPULATE, content)).body);
    return contents.map((content) => ids.get(content));
  };
  expect(await idsInOrder([...contents].reverse())).toEqual(await idsInOrder(contents));
});

test('E1 populate: once the queue has run empty, a new batch starts at the clock', async () => {
  const { post, sandbox } = openSandbox();
  await post(POPULATE, { prm_ids: ['01234567890123'] });
  await post(POPULATE, {});
  sandbox.clock.advance(60_000);
  await post(POPULATE, { prm_ids: ['01234567890124'] });
  expect(sandbox.state.populate_batches[2]?.lookups).toEqual([
    { identifier: '01234567890124', supply_type: 'ELECTRICITY', completes_at: '2026-01-15T09:01:00.100Z' },
  ]);
});

test('E1 populate: empty arrays and duplicates are accepted, and every batch has its own id (U24)', async () => {
  const { post, sandbox } = openSandbox();
  const ids = [];
  for (const body of [{}, { prm_ids: [], pce_ids: [] }, { prm_ids: ['1', '1'] }, { prm_ids: ['1', '1'] }]) {
    const answer = await post(POPULATE, body);
    expect(answer.status).toBe(201);
    ids.push((answer.body as { batch_id: string }).batch_id);
  }
  expect(new Set(ids).size).toBe(4);
  expect(sandbox.state.populate_batches.map(({ lookups }) => lookups.length)).toEqual([0, 0, 2, 2]);
});

test('E1 populate: a wrong type is 400 with its attr (U24)', async () => {
  const { post, unchanged } = openSandbox();
  const errors = [
    fieldError('invalid_type', 'prm_ids.1', 'Expected a string, found a number.'),
    fieldError('invalid_type', 'pce_ids', 'Expected an array, found a string.'),
    unknownField('region'),
  ];
  expect(await unchanged(() => post(POPULATE, { prm_ids: ['1', 2], pce_ids: 'x', region: 'north' }))).toEqual(
    invalidFields('validation_failed', ...errors),
  );
});
