/** Records that queue the lookup of supply points, as typed: counted by every command, sent first, batch ids shown (E1). */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { account, ended, openFolder, openService, run, runIn, valueIn } from '../typed.js';

const { at, inputFile } = openFolder();

const first = { populate: { prm_ids: ['01234567890123'] } };
const second = { populate: { pce_ids: ['09876543210987'] } };

test('plan, the first question, run, status and report count them and name the batch ids', async () => {
  const sandbox = await openService();
  const path = inputFile('populate.jsonl', account('A-1'), first, second);
  const folder = at('populate-run');
  expect(JSON.parse((await run('plan', path, '--run', folder, '--json')).out)).toMatchObject({
    populates: 2,
    accounts: 1,
    requests: { 'supplyPoints.populate': 2, 'accounts.stage': 1 },
  });
  expect((await run('check', path)).out).toBe('3 lines, 0 errors\n');
  expect((await run('plan', path, '--run', folder)).out).toContain(
    '3 lines: 2 pre-populations, 0 businesses, 1 account with',
  );
  const { code, out } = await runIn({}, 'run', path, '--run', folder);
  const [one, two] = sandbox.state.populate_batches.map(({ batch_id }) => batch_id);
  expect([code, out]).toEqual([0, expect.stringContaining(`2 batches of supply points queued (${one}, ${two}).`)]);
  expect(out).toContain('3 created + 0 already imported');
  expect((await run('status', '--run', folder)).out).toContain(`2 batches of supply points queued (${one}, ${two}).`);
  expect(JSON.parse((await run('status', '--run', folder, '--json')).out)).toMatchObject({
    batches: { count: 2, ids: [one, two] },
  });
  expect(readFileSync(`${folder}/report.html`, 'utf8')).toContain(
    `2 batches of supply points queued (${one}, ${two}).`,
  );
  expect(readFileSync(`${folder}/ok.csv`, 'utf8')).toContain(`;${one};populate;;created;`);
  expect(valueIn(`${folder}/report.json`).summary.funnel).toContainEqual({
    ...{
      kind: 'populate',
      step: 'populate',
      passed: 2,
      rejected: 0,
      unknown: 0,
      alreadyImported: 0,
      skipped: 0,
      unfinished: 0,
    },
  });
  expect((await run('verify', '--run', folder)).code).toBe(0);
});

test('one whose answer was lost ends with code 4, and resolve settles it by its number', async () => {
  const sandbox = await openService();
  sandbox.faults.add({
    match: { operation: 'supplyPoints.populate' },
    when: { nth: 1 },
    effect: 'drop',
    phase: 'afterCommit',
  });
  const path = inputFile('lost.jsonl', first, account('A-1'));
  const folder = at('lost-run');
  expect(await run('run', path, '--run', folder)).toMatchObject(
    ended(4, 'unknown at populate: Ask the operator whether the lookups were queued'),
  );
  const [entry] = readFileSync(`${folder}/unknown.jsonl`, 'utf8').trim().split('\n');
  const { number, kind } = JSON.parse(entry ?? '');
  expect([kind, number]).toEqual(['populate', expect.stringMatching(/^[0-9a-f]{32}$/)]);
  const decision = ['--populate', number, '--step', 'populate', '--as', 'done', '--service-id', 'BATCH-1'];
  expect((await run('resolve', '--run', folder, ...decision)).code).toBe(0);
  expect((await run('run', path, '--run', folder)).code).toBe(0);
  expect(readFileSync(`${folder}/ok.csv`, 'utf8')).toContain(`${number};BATCH-1;populate;;created;`);
  expect(sandbox.state.populate_batches).toHaveLength(1);
});

test('the same supply points twice: a warning of check, and run sends one of them', async () => {
  const sandbox = await openService();
  const path = inputFile('twice.jsonl', first, account('A-1'), first);
  const { code, out } = await run('check', path);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/warning duplicate_record at populate\n +An earlier record has the same supply points/),
  ]);
  expect((await run('run', path, '--run', at('twice-run'))).out).toContain(
    '2 created + 0 already imported + 0 rejected + 1 skipped',
  );
  expect(sandbox.state.populate_batches).toHaveLength(1);
});

test('E1 a refused one is corrected in rejected.jsonl and sent by retry; plan then has nothing to send', {
  tags: 'long',
}, async () => {
  const sandbox = await openService();
  sandbox.faults.add({
    match: { operation: 'supplyPoints.populate' },
    when: { nth: 1 },
    effect: {
      status: 400,
      body: { detail: 'x', code: 'invalid', errors: [{ detail: 'x', code: 'invalid', attr: 'prm_ids.0' }] },
    },
  });
  const path = inputFile('refused.jsonl', account('A-1'), first, second);
  const folder = at('refused-run');
  expect(await run('run', path, '--run', folder)).toMatchObject(
    ended(3, '2 created + 0 already imported + 1 rejected'),
  );
  const [entry, ...others] = readFileSync(`${folder}/rejected.jsonl`, 'utf8').trim().split('\n');
  expect([others, JSON.parse(entry ?? '')]).toEqual([[], expect.objectContaining({ original: JSON.stringify(first) })]);
  expect(sandbox.state.populate_batches).toHaveLength(1);

  expect(await run('retry', `${folder}/rejected.jsonl`, '--run', folder)).toMatchObject(
    ended(0, '3 created + 0 already imported + 0 rejected'),
  );
  expect(sandbox.state.populate_batches).toHaveLength(2);
  expect(JSON.parse((await run('plan', path, '--run', folder, '--json')).out)).toMatchObject({
    requests: {},
    ended: 3,
  });
  expect((await run('run', path, '--run', folder)).code).toBe(0);
  expect(sandbox.state.populate_batches).toHaveLength(2);
});
