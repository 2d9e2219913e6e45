/** A rehearsal (`--sandbox`): with the user's own data, with settings, and in several commands on one run folder. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runProgram } from '../../../src/cli/program.js';
import { openSqliteLedger } from '../../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { readStateFile } from '../../../src/sandbox/state/state-file.js';
import { newFolder } from '../../helpers/folder.js';
import { PATIENCE } from '../../helpers/patience.js';
import { ended, refused, run } from '../typed.js';

const account = (number: string, more: Record<string, unknown> = {}) =>
  `${JSON.stringify({ account: { import_supplier: 'ACME', external_account_number: number, ...more } })}\n`;
const business = (supplier: string, contract: string) =>
  `${JSON.stringify({
    business: {
      import_supplier_code: supplier,
      external_business_identifier: 'B-1',
      business: { business_contracts: [{ identifier: contract }] },
    },
  })}\n`;

function surroundings() {
  const folder = newFolder('cli-rehearsal-');
  const at = (name: string) => join(folder, name);
  const write = (name: string, text: string) => {
    writeFileSync(at(name), text);
    return at(name);
  };
  const type = (...words: string[]) => run(...words, '--run', at('run'));
  const settings = (value: unknown) => write('settings.json', JSON.stringify(value));
  const rehearse = async (text: string, ...words: string[]) => {
    const { code, out, err } = await type('run', write('input.jsonl', text), '--sandbox', '--json', ...words);
    return { code, err, ...(out === '' ? {} : (JSON.parse(out) as Record<string, unknown>)) };
  };
  const state = () => readStateFile(at('run/sandbox.jsonl'));
  return { at, write, type, settings, rehearse, state };
}

describe("the user's own data", () => {
  test('their suppliers and the given team exist, without any setup', async () => {
    const { rehearse, state, type } = surroundings();
    const linked = { business: { business_contract_identifier: 'C-1' } };
    const input = business('NORTH', 'C-1') + account('A-1') + account('A-2', { import_supplier: 'NORTH', ...linked });
    expect(await rehearse(input, '--team', 'EAST')).toMatchObject({ code: 0, created: 3 });
    expect(state()?.suppliers.map(({ code, status }) => [code, status])).toEqual([
      ['SANDBOX_SUPPLIER', 'Ongoing'],
      ['NORTH', 'Ongoing'],
      ['ACME', 'Ongoing'],
    ]);
    expect(state()?.teams).toEqual(['SANDBOX_TEAM', 'EAST']);
    expect(await type('verify', '--sandbox')).toMatchObject({ code: 0 });
  });

  test('also the rows of a CSV', async () => {
    const { type, write, state } = surroundings();
    const map = write(
      'map.mjs',
      'export default (row) => ({ account: { import_supplier: row.supplier, external_account_number: row.number } });',
    );
    const csv = write('input.csv', 'supplier,number\nACME,A-1\nWEST,A-2\n');
    expect((await type('run', csv, '--map', map, '--sandbox', '--team', 'EAST')).code).toBe(0);
    expect(state()?.suppliers.map(({ code, accounts }) => [code, accounts.length])).toEqual([
      ['SANDBOX_SUPPLIER', 0],
      ['ACME', 1],
      ['WEST', 1],
    ]);
  });

  test('without --team the sandbox gives one', async () => {
    const { rehearse, state } = surroundings();
    expect(await rehearse(account('A-1'))).toMatchObject({ code: 0, created: 1 });
    expect(state()?.suppliers[1]?.accounts[0]?.imported?.operations_team_name).toBe('SANDBOX_TEAM');
  });

  test('the calls of plan --probe know them too', async () => {
    const { type, write } = surroundings();
    const { code, out } = await type(
      'plan',
      write('input.jsonl', account('A-1')),
      '--sandbox',
      '--probe',
      '1',
      '--json',
    );
    expect([code, JSON.parse(out).probe]).toMatchObject([0, { calls: 1, refused: 0 }]);
  });

  test('the days of a rehearsal are those of the machine', async () => {
    const { rehearse, state } = surroundings();
    const before = Math.floor(Date.now() / 1000) * 1000;
    await rehearse(account('A-1'));
    const created = Date.parse(state()?.suppliers[1]?.accounts[0]?.imported?.account_created_at ?? '');
    expect(created).toBeGreaterThanOrEqual(before);
    expect(created).toBeLessThanOrEqual(Date.now());
  });
});

describe('--sandbox-settings', () => {
  test('a listed supplier has its status, and the others of the input are Ongoing', async () => {
    const { rehearse, settings } = surroundings();
    const path = settings({ suppliers: [{ code: 'NORTH', status: 'Paused' }] });
    const input = account('A-1') + account('A-2', { import_supplier: 'NORTH' });
    const refused = await rehearse(input, '--sandbox-settings', path);
    expect(refused).toMatchObject({ code: 8, reason: expect.stringContaining('refuses import supplier NORTH') });
    // Ongoing again as soon as the settings say nothing else.
    expect(await rehearse(input)).toMatchObject({ code: 0, created: 2 });
  });

  test('a list of teams is all of them: another team is unknown', { tags: 'long' }, async () => {
    const { rehearse, settings } = surroundings();
    const path = settings({ teams: ['EAST'] });
    const wrong = await rehearse(account('A-1'), '--team', 'WEST', '--sandbox-settings', path);
    expect(wrong).toMatchObject({ created: 0 });
    const right = await rehearse(account('A-1'), '--team', 'EAST', '--sandbox-settings', path, '--retry-rejected');
    expect(right).toMatchObject({ code: 0, created: 1 });
  });

  test('settings, clock and a profile in a file next to it count', async () => {
    const { rehearse, settings, state, write } = surroundings();
    write('profile.json', JSON.stringify({ required: { Account: ['sales_channel'] } }));
    const clock = '2026-02-01T00:00:00Z';
    const path = settings({ profile: 'profile.json', clock, accountNumberForm: 'lettered', processDurationMs: [1, 2] });
    const input = account('A-1') + account('A-2', { sales_channel: 'web' });
    expect(await rehearse(input, '--sandbox-settings', path)).toMatchObject({ code: 3, created: 1, rejected: 1 });
    const [one] = state()?.suppliers[1]?.accounts ?? [];
    expect(one?.imported).toMatchObject({ account_created_at: clock });
    expect(one?.imported?.service_account_number).toMatch(/^A-/);
  });

  test('without a profile in them the sandbox has that of --profile', async () => {
    const { rehearse, settings, write } = surroundings();
    const profile = write('profile.json', JSON.stringify({ fields: { Account: { region_code: 'string' } } }));
    const input = account('A-1', { region_code: 'R-1' });
    const path = settings({ profile: {} });
    const refused = await rehearse(input, '--profile', profile, '--sandbox-settings', path);
    expect(refused).toMatchObject({ code: 3, created: 0, rejected: 1 });
    settings({ processConcurrency: 8 });
    const more = ['--retry-rejected', '--sandbox-settings', path];
    expect(await rehearse(input, '--profile', profile, ...more)).toMatchObject({ code: 0, created: 1 });
    const again = input + account('A-2', { region_code: 'R-1' });
    expect(await rehearse(again, '--profile', profile)).toMatchObject({ code: 0, created: 2 });
  });

  test('fault counters continue from the last session, and restart if the faults changed', {
    tags: 'long',
  }, async () => {
    const { rehearse, settings, state } = surroundings();
    const fault = { match: { operation: 'accounts.stage' }, effect: { latencyMs: 1 }, times: 2 };
    const path = settings({ faults: [fault] });
    await rehearse(account('A-1'), '--sandbox-settings', path);
    expect(state()?.faults).toMatchObject([{ met: 1, fired: 1 }]);
    await rehearse(account('A-1') + account('A-2') + account('A-3'), '--sandbox-settings', path);
    expect(state()?.faults).toMatchObject([{ met: 3, fired: 2 }]);
    settings({ faults: [{ ...fault, times: 9 }] });
    await rehearse(account('A-1') + account('A-4'), '--sandbox-settings', path);
    expect(state()?.faults).toMatchObject([{ met: 1, fired: 1 }]);
    await rehearse(account('A-1') + account('A-5'));
    expect(state()?.faults).toEqual([]);
  });

  test.each([
    [{ processConcurency: 8 }, 'no setting processConcurency; did you mean processConcurrency?'],
    [{ supliers: [] }, 'no setting supliers; did you mean suppliers?'],
    [{ suppliers: [{ code: 'NORTH', state: 'Paused' }] }, 'a supplier: no option state; did you mean status?'],
    [
      { suppliers: [{ code: 'NORTH', status: 'Closed' }] },
      'An import supplier is Ongoing, Paused, Complete; found Closed.',
    ],
    [{ suppliers: 'NORTH' }, 'suppliers must be a list of { code, status?, root? }.'],
    [{ teams: [''] }, 'teams must be a list of names.'],
    [{ processDurationMs: '4s' }, 'setting processDurationMs must be milliseconds from 0, or a range of them'],
    [{ faults: [{ effect: 'drop', when: 'often' }] }, "fault rule 1: when: expected 'every', 'first'"],
    [{ clock: 'yesterday' }, 'clock must be "machine" or a datetime such as "2026-01-15T09:00:00Z".'],
    [{ clock: '2026-02-30T09:00:00Z' }, 'clock must be "machine" or a datetime such as "2026-01-15T09:00:00Z".'],
    [{ profile: { requierd: {} } }, 'requierd'],
    [[], 'contains no JSON object; expected settings of the sandbox.'],
  ])('%j ends with exit code 2 and says what is wrong, before anything is sent', async (value, message) => {
    const { rehearse, settings, at } = surroundings();
    const path = settings(value);
    const { code, err } = await rehearse(account('A-1'), '--sandbox-settings', path);
    expect([code, err]).toEqual([2, expect.stringContaining(`data-import-sdk: --sandbox-settings: ${path}`)]);
    expect(err).toContain(message);
    expect(err.split('\n')).toHaveLength(2);
    expect(() => readFileSync(at('run/sandbox.jsonl'))).toThrow('ENOENT');
  });

  test('a file that is missing or not JSON is named', async () => {
    const { rehearse, at, write } = surroundings();
    const gone = await rehearse(account('A-1'), '--sandbox-settings', at('gone.json'));
    expect(gone).toMatchObject(refused(`${at('gone.json')} cannot be read (there is no such file)`));
    const torn = await rehearse(account('A-1'), '--sandbox-settings', write('torn.json', '{'));
    expect(torn).toMatchObject(refused(`${at('torn.json')} is not valid JSON`));
  });

  test('without --sandbox it has no effect, and is refused', async () => {
    const { type, write, settings } = surroundings();
    const path = write('input.jsonl', account('A-1'));
    expect(await type('run', path, '--sandbox-settings', settings({}))).toMatchObject(
      refused('--sandbox-settings has no effect without --sandbox'),
    );
  });
});

describe('the state of a rehearsal', () => {
  test('the created accounts exist for verify, and for the retry of rejected records', async () => {
    const { write, type, rehearse } = surroundings();
    const first = await rehearse(account('A-1') + account('A-2', { customers: [{ landline: 'x' }] }));
    expect(first).toMatchObject({ code: 3, created: 1, rejected: 1 });
    const verified = await type('verify', '--sandbox');
    expect([verified.code, verified.out]).toEqual([0, '= 1 account agrees, 0 differ, 1 not imported on either side\n']);
    expect((await type('retry', write('corrected.jsonl', account('A-2')), '--sandbox')).code).toBe(0);
    expect(await type('verify', '--sandbox')).toMatchObject({ code: 0 });
  });

  test('verify from another terminal reads the current state of the sandbox, and changes nothing', async () => {
    const { at, type, rehearse } = surroundings();
    await rehearse(account('A-1'));
    // The sandbox of a run that is still active: it has the file open.
    const sandbox = createSandbox({ clock: 'machine' });
    const kept = await sandbox.keepIn(at('run/sandbox.jsonl'));
    onTestFinished(() => kept.close());
    const send = (path: string, body: unknown) =>
      sandbox.fetch(
        new Request(`http://sandbox.example.com/v1/data-import/account-import-process/${path}`, {
          method: 'POST',
          headers: { Authorization: `Token ${sandbox.token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        }),
      );
    await send('create-or-update/', { import_supplier: 'ACME', external_account_number: 'A-9' });
    const team = { import_supplier_code: 'ACME', operations_team_name: 'SANDBOX_TEAM' };
    expect((await send('process/', { ...team, external_account_number: 'A-9' })).status).toBe(201);
    const before = readFileSync(at('run/sandbox.jsonl'), 'utf8');
    expect(await type('verify', '--sandbox')).toMatchObject(ended(5, '+ ACME A-9: imported, and not in the ledger'));
    expect(readFileSync(at('run/sandbox.jsonl'), 'utf8')).toBe(before);
    // Nor does it stop the sandbox from writing.
    expect((await send('create-or-update/', { import_supplier: 'ACME', external_account_number: 'A-10' })).status).toBe(
      201,
    );
  });

  test.each(['run input.jsonl', 'retry input.jsonl', 'verify'])(
    'that is gone ends %s with exit code 2: the ledger has accounts that no sandbox has',
    async (line) => {
      const { at, type, rehearse } = surroundings();
      await rehearse(account('A-1'));
      rmSync(at('run/sandbox.jsonl'));
      const [command = '', ...paths] = line.split(' ');
      expect(await type(command, ...paths.map(at), '--sandbox')).toMatchObject({
        code: 2,
        err: `data-import-sdk: ${at('run')} has a ledger but no sandbox.jsonl, the state of the sandbox of that rehearsal. Start another rehearsal with another --run.\n`,
      });
    },
  );

  test('that is damaged ends run and verify with exit code 2, and is not changed', async () => {
    const { at, type, rehearse } = surroundings();
    await rehearse(account('A-1'));
    const text = readFileSync(at('run/sandbox.jsonl'), 'utf8').replace('accountStaged', 'accountStage');
    writeFileSync(at('run/sandbox.jsonl'), text);
    const message = `data-import-sdk: the state file ${at('run/sandbox.jsonl')} is damaged: line 3 cannot be read. Restore a copy of it, or start another rehearsal with another --run.\n`;
    expect(await rehearse(account('A-1'))).toEqual({ code: 2, err: message });
    expect(await type('verify', '--sandbox')).toEqual({ code: 2, out: '', err: message });
    expect(readFileSync(at('run/sandbox.jsonl'), 'utf8')).toBe(text);
  });
});

describe('a rehearsal that was aborted during a process request', () => {
  /** The request got no answer, and the command ended before the quiet time did. */
  async function brokenOff() {
    const opened = surroundings();
    const { at, settings, write } = opened;
    const drop = { match: { operation: 'accounts.process' }, when: 'every', effect: 'drop', phase: 'before' };
    const input = write('input.jsonl', account('A-1'));
    let interrupt = (_: 'SIGINT') => {};
    const command = ['run', input, '--sandbox', '--dry-run', 'none', '--max-retries', '0', '--run', at('run')];
    const running = runProgram([...command, '--sandbox-settings', settings({ faults: [drop] })], {
      out: () => true,
      err: () => {},
      onSignal(listener) {
        interrupt = listener;
        return () => {};
      },
    });
    const key = { supplier: 'ACME', kind: 'account', number: 'A-1' } as const;
    const intent = async () => {
      const ledger = await openSqliteLedger(at('run/ledger.sqlite'), { readOnly: true });
      const found = await ledger.find(key);
      await ledger.close();
      return found?.intent;
    };
    // Not before the connection of the request is gone: one that was never sent is in no doubt.
    const lost = () => expect(readFileSync(at('run/audit.log'), 'utf8')).toContain('failed: ');
    await vi.waitFor(lost, PATIENCE);
    await vi.waitFor(async () => expect(await intent()).toBe('process'), PATIENCE);
    interrupt('SIGINT');
    interrupt('SIGINT');
    expect(await running).toBe(130);
    return { ...opened, intent };
  }

  test('continues at once: the sandbox of the request ended with its command', async () => {
    const { rehearse, intent } = await brokenOff();
    expect(await intent()).toBe('process');
    // By default the quiet time is 60 s, and this test would time out.
    expect(await rehearse(account('A-1'))).toMatchObject({ code: 0, created: 1, alreadyImported: 0 });
  });

  test('is resolved at once', async () => {
    const { type } = await brokenOff();
    expect(await type('resolve', '--sandbox')).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^Resolved by the service: account A-1 process not done: the next run sends it\nNo outcome is unknown\.\nNext: data-import-sdk run .*input\.jsonl --sandbox .*\n$/,
      ),
      err: '',
    });
  });
});
