/** A sandbox with a state file continues with its state, also after its process was killed. */
import fs, { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createSandbox, type Sandbox, type SandboxServer } from '../../../src/sandbox/index.js';
import { openStateFile, readStateFile } from '../../../src/sandbox/state/state-file.js';
import { newFolder } from '../../helpers/folder.js';
import { charge, payload as transactions } from '../support/billed-account.js';
import { failed } from '../support/refusals.js';
import { account, BASE, PROCESS, posted, processing, STAGE } from '../support/requests.js';

/** What the next writes do, in place of writing; the disk is fine again when the list is empty. */
const nextWrites: ((write: (bytes: Buffer) => number, bytes: Buffer) => number)[] = [];

beforeAll(() => {
  const { writeSync } = fs;
  const toFile = (descriptor: number, bytes: Buffer, offset = 0) => {
    const instead = nextWrites.shift();
    const rest = bytes.subarray(offset);
    return instead === undefined ? writeSync(descriptor, rest) : instead((part) => writeSync(descriptor, part), rest);
  };
  const replaceBy = (write: typeof writeSync) => {
    Object.assign(fs, { writeSync: write });
    // For modules that import it by its name.
    syncBuiltinESMExports();
  };
  replaceBy(toFile as typeof writeSync);
  return () => replaceBy(writeSync);
});

let folder = '';
const at = (name: string) => join(folder, name);

// Gone only after the servers of the test are closed: what is registered first is done last.
beforeEach(async ({ onTestFinished }) => {
  nextWrites.length = 0;
  folder = newFolder('sandbox-', onTestFinished);
});

const post = async (sandbox: Sandbox, path: string, body: unknown, { url }: Pick<SandboxServer, 'url'>) => {
  const response = await fetch(`${url}/v1/data-import/${path}`, posted(sandbox, body));
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const postInProcess = async (sandbox: Sandbox, path: string, body: unknown) => {
  const response = await sandbox.fetch(new Request(BASE + path, posted(sandbox, body)));
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const kept = async (name = 'state.jsonl', options: Parameters<typeof createSandbox>[0] = {}) => {
  const sandbox = createSandbox(options);
  const file = await sandbox.keepIn(at(name));
  onTestFinished(() => file.close());
  return sandbox;
};

/** A sandbox that starts with the current file, as after a kill: the first one is not closed. */
const afterKill = async (name = 'state.jsonl') => {
  copyFileSync(at(name), at('copy.jsonl'));
  return kept('copy.jsonl');
};

const numbersOf = ({ state }: Sandbox) =>
  state.suppliers[0]?.accounts.map(({ external_account_number }) => external_account_number);

describe('a server with a state file', () => {
  test('writes it at once: a snapshot, which only its owner may read', { tags: 'long' }, async () => {
    const sandbox = createSandbox();
    const server = await sandbox.listen({ file: at('state.jsonl') });
    onTestFinished(() => server.close());
    expect(JSON.parse(readFileSync(at('state.jsonl'), 'utf8'))).toEqual(sandbox.snapshot());
    expect((await stat(at('state.jsonl'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['state.jsonl']);
  });

  test('a sandbox that is started again has the account with its number', async () => {
    const first = createSandbox();
    const server = await first.listen({ file: at('state.jsonl') });
    expect((await post(first, STAGE, account('A-1'), server)).status).toBe(201);
    const { body } = await post(first, PROCESS, processing('A-1'), server);
    first.clock.advance(86_400_000);
    await server.close();

    const second = createSandbox();
    const again = await second.listen({ file: at('state.jsonl') });
    onTestFinished(() => again.close());
    expect(second.clock.now()).toEqual(new Date('2026-01-16T09:00:00Z'));
    expect(await post(second, PROCESS, processing('A-1'), again)).toMatchObject({
      status: 400,
      body: { service_account_number: body['service_account_number'] },
    });
  });

  test('starts with a snapshot that replaced the file', async () => {
    const sandbox = createSandbox();
    await postInProcess(sandbox, STAGE, account('A-1'));
    await writeFile(at('state.jsonl'), JSON.stringify(sandbox.snapshot()));
    const server = await createSandbox().listen({ file: at('state.jsonl') });
    await server.close();
    expect(readStateFile(at('state.jsonl'))).toEqual(sandbox.state);
  });
});

describe('a kill', () => {
  test('contains the effect of every answered call', async () => {
    const sandbox = await kept();
    for (const number of ['A-1', 'A-2', 'A-3']) {
      await postInProcess(sandbox, STAGE, account(number));
      expect(numbersOf(await afterKill())).toContain(number);
    }
    const { body } = await postInProcess(sandbox, PROCESS, processing('A-2'));
    const [, second] = (await afterKill()).state.suppliers[0]?.accounts ?? [];
    expect(second?.imported?.service_account_number).toBe(body['service_account_number']);
  });

  test('contains the whole state after any kind of change', async () => {
    const sandbox = await kept('state.jsonl', { settings: { processDurationMs: 1 }, wait: async () => {} });
    const send = (path: string, body: unknown) => postInProcess(sandbox, path, body);
    const business = { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' };
    const vendor = (reference: string) => ({ vendor: 'VENDOR', reference });
    sandbox.addSupplier({ code: 'NORTH', root: 'north/' });
    sandbox.setSupplierStatus('NORTH', 'Paused');
    sandbox.addTeam('EAST');
    sandbox.removeTeam('SANDBOX_TEAM');
    sandbox.skip('NORTH', 'A-9');
    sandbox.skip('NORTH', 'A-8');
    sandbox.skip('NORTH', 'A-8', false);
    sandbox.registerDocuments('NORTH', ['1.pdf']);
    sandbox.faults.add({ id: 'rare', when: { probability: 0.5 }, effect: { latencyMs: 1 }, times: 1 });
    sandbox.faults.add({ id: 'gone', effect: 'drop', when: { nth: 1000 } });
    sandbox.faults.remove('gone');
    await send(STAGE, account('A-1', { notes: [{ body: 'Staged.' }], last_billed_to_date: '2025-12-31' }));
    await send(STAGE, account('A-2', { sales_channel: 'first' }));
    await send(STAGE, account('A-2', { sales_channel: 'second' }));
    const team = { operations_team_name: 'EAST' };
    await Promise.all([1, 2].map(() => send(PROCESS, processing('A-1', team))));
    await send(
      'notes/create/',
      account('A-1', { notes: [{ body: 'Moved.', document_paths: [{ document_path: '/n' }] }] }),
    );
    await send('transactions/create/', transactions(charge({ transaction_date: '2025-01-01' })));
    await send('historical-statements/create/', account('A-1', { statements: [{ statement_path: '/s' }] }));
    await send('payment-instruction/create/', account('A-1', vendor('R-1')));
    await send('payment-instruction/create/', account('A-1', vendor('sbx-vendor-flaky-2')));
    await send('business/', business);
    await send('business-payment-instruction/create/', { ...business, ...vendor('R-2') });
    await send('supply-point/populate/', { prm_ids: ['1'] });
    sandbox.transition('SANDBOX_SUPPLIER', 'A-1', 'IN_PROGRESS');
    sandbox.clock.advance(1000);
    const [record] = sandbox.state.suppliers[0]?.accounts ?? [];
    expect(record?.duplicates).toHaveLength(1);
    expect(record?.imported).toMatchObject({
      notes: [{ body: 'Staged.' }, { body: 'Moved.' }, { is_pinned: true }],
      transactions: [{}],
      statements: [{}],
      payment_instructions: [{}],
      status: 'IN_PROGRESS',
    });
    expect(sandbox.state.vendor_tries).not.toEqual({});
    expect(sandbox.faults.list()).toMatchObject([{ id: 'rare', fired: 1 }]);
    expect((await afterKill()).state).toEqual(sandbox.state);
    // What is read was written in the short form: the same again.
    expect(readStateFile(at('copy.jsonl'))).toEqual(sandbox.state);
    sandbox.faults.clear();
    expect((await afterKill()).faults.list()).toEqual([]);
  });

  test('in the middle of a write loses only that line, at every position', async () => {
    const sandbox = await kept();
    await postInProcess(sandbox, STAGE, account('A-1'));
    const before = readFileSync(at('state.jsonl'));
    await postInProcess(sandbox, STAGE, account('A-2'));
    const after = readFileSync(at('state.jsonl'));
    expect(after.length).toBeGreaterThan(before.length + 100);
    for (let length = before.length; length < after.length; length++) {
      writeFileSync(at('torn.jsonl'), after.subarray(0, length));
      const { suppliers } = readStateFile(at('torn.jsonl')) ?? {};
      expect([length, suppliers?.[0]?.accounts.length]).toEqual([length, 1]);
    }
    const torn = await kept('torn.jsonl');
    await postInProcess(torn, STAGE, account('A-3'));
    expect(numbersOf(torn)).toEqual(['A-1', 'A-3']);
    expect(readStateFile(at('torn.jsonl'))).toEqual(torn.state);
  });

  test('of a process that put another state in place leaves that one', async () => {
    const sandbox = await kept();
    const { snapshot } = { snapshot: sandbox.snapshot() };
    await postInProcess(sandbox, STAGE, account('A-1'));
    sandbox.restore(snapshot);
    await postInProcess(sandbox, STAGE, account('A-2'));
    expect(numbersOf(await afterKill())).toEqual(['A-2']);
    sandbox.reset();
    expect(numbersOf(await afterKill())).toEqual([]);
  });
});

describe('the file', () => {
  test('is rewritten when replaced values are larger than the state', { tags: 'long' }, async () => {
    const sandbox = await kept();
    await postInProcess(sandbox, STAGE, account('A-1'));
    const largest = 2 * 1024 * 1024;
    for (let tick = 0; tick < 40_000; tick++) sandbox.clock.advance(1);
    expect(statSync(at('state.jsonl')).size).toBeLessThan(largest);
    expect((await afterKill()).state).toEqual(sandbox.state);
  });

  test.each([
    ['{"format":', 'is damaged: line 1 cannot be read.'],
    [
      '[]',
      'contains no state (not a snapshot: Invalid input: expected object, received array): line 1 cannot be read.',
    ],
    [
      '{"format":"data-import-sdk sandbox 1","state":{}}',
      'contains no state (not a snapshot: state.clock: expected an object with the kind fixed or machine): line 1 cannot be read.',
    ],
    ['{"format":"data-import-sdk sandbox 2","state":{}}', 'contains no state (not a snapshot: format'],
    ['', 'contains no state: it is empty.'],
  ])('that holds %s is refused and stays as it is', async (text, message) => {
    writeFileSync(at('state.jsonl'), text);
    const listening = createSandbox().listen({ file: at('state.jsonl') });
    await expect(listening).rejects.toThrow(`the state file ${at('state.jsonl')} ${message}`);
    expect(readFileSync(at('state.jsonl'), 'utf8')).toBe(text);
  });

  test.each([
    ['no JSON', '[{"type":"accountStaged","secret'],
    ['no change', '5'],
    ['an unknown change', '[{"type":"accountSold"}]'],
    ['a change of what is not there', '[{"type":"supplierStatusSet","supplier":"secret","status":"Paused"}]'],
  ])('with a line in it that is %s is damaged: the message says which, and quotes nothing', async (_, line) => {
    const sandbox = await kept();
    await postInProcess(sandbox, STAGE, account('A-1'));
    const text = `${readFileSync(at('state.jsonl'), 'utf8')}${line}\n[]\n`;
    writeFileSync(at('damaged.jsonl'), text);
    const message = `sandbox: the state file ${at('damaged.jsonl')} is damaged: line 3 cannot be read.`;
    await expect(createSandbox().keepIn(at('damaged.jsonl'))).rejects.toMatchObject({ message });
    expect(readFileSync(at('damaged.jsonl'), 'utf8')).toBe(text);
  });

  test('that cannot be read or written is refused before the server listens', async () => {
    await expect(createSandbox().listen({ file: folder })).rejects.toThrow(
      `sandbox: cannot read the state file ${folder} (EISDIR)`,
    );
    const nowhere = at('none/state.jsonl');
    await expect(createSandbox().listen({ file: nowhere })).rejects.toThrow(
      `sandbox: cannot write the state file ${nowhere} (ENOENT)`,
    );
  });

  test('keeps one state, and a state one file', async () => {
    await expect((await kept()).keepIn(at('other.jsonl'))).rejects.toThrow('a file keeps the state already');
  });

  test('on a full disk: the call fails, the state is unchanged, and the incomplete line is removed', async () => {
    const sandbox = await kept();
    const before = sandbox.snapshot();
    nextWrites.push(
      (write, bytes) => write(bytes.subarray(0, 20)),
      () => {
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      },
    );
    expect(await postInProcess(sandbox, STAGE, account('A-1'))).toEqual(
      failed(
        500,
        'sandbox_failed',
        `The sandbox itself failed: sandbox: cannot write the state file ${at('state.jsonl')} (ENOSPC).`,
      ),
    );
    expect(sandbox.snapshot()).toEqual(before);
    expect((await postInProcess(sandbox, STAGE, account('A-2'))).status).toBe(201);
    expect(numbersOf(await afterKill())).toEqual(['A-2']);
  });

  test('an incomplete write is continued', async () => {
    const sandbox = await kept();
    nextWrites.push((write, bytes) => write(bytes.subarray(0, 20)));
    expect((await postInProcess(sandbox, STAGE, account('A-1'))).status).toBe(201);
    expect((await afterKill()).state).toEqual(sandbox.state);
  });

  test('that another process has changed or removed: the call fails, and the state is unchanged', async () => {
    const sandbox = await kept();
    writeFileSync(at('state.jsonl'), '[]\n', { flag: 'a' });
    expect(await postInProcess(sandbox, STAGE, account('A-1'))).toMatchObject({
      status: 500,
      body: { detail: expect.stringContaining('was changed by another process') },
    });
    const other = await kept('other.jsonl');
    const { file } = openStateFile(at('other.jsonl'), other.snapshot().state);
    file.close();
    // Nothing that the first one answered is lost: the second one has it.
    expect(await postInProcess(other, STAGE, account('A-1'))).toEqual(
      failed(
        500,
        'sandbox_failed',
        `The sandbox itself failed: sandbox: the state file ${at('other.jsonl')} was changed by another process, such as a sandbox that was started with the same file: the file has all calls that this one answered before, but not this one. Stop this sandbox and use the other one, or give each its own file with --file.`,
      ),
    );
    rmSync(at('other.jsonl'));
    expect(await postInProcess(other, STAGE, account('A-1'))).toMatchObject({
      status: 500,
      body: { detail: expect.stringContaining('is gone') },
    });
    expect([numbersOf(sandbox), numbersOf(other)]).toEqual([[], []]);
  });

  test('after close no more is written', async () => {
    const sandbox = createSandbox();
    const file = await sandbox.keepIn(at('state.jsonl'));
    file.close();
    const before = readFileSync(at('state.jsonl'), 'utf8');
    expect((await postInProcess(sandbox, STAGE, account('A-1'))).status).toBe(201);
    expect(readFileSync(at('state.jsonl'), 'utf8')).toBe(before);
  });
});
