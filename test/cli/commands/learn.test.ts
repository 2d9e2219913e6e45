/** `data-import-sdk learn`: the file that it writes is one for the sandbox and for `check`. */
// @module-tag long
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSandbox, recordCalls, type SandboxSettings } from '../../../src/sandbox/index.js';
import { newFolder } from '../../helpers/folder.js';
import { run } from '../typed.js';

async function recording(settings: Partial<SandboxSettings>): Promise<{ at: (name: string) => string }> {
  const folder = newFolder('learn-');
  const sandbox = createSandbox({ settings });
  const lines: string[] = [];
  const send = recordCalls((line) => void lines.push(line), { fetch: (url, init) => sandbox.fetch(url, init) });
  const account = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' };
  for (const body of [account, { ...account, customers: [{}] }, { ...account, undocumented: 1 }]) {
    const headers = { authorization: `Token ${sandbox.token}`, 'content-type': 'application/json' };
    await send('https://a.example.com/v1/data-import/validate-account/', {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
  }
  writeFileSync(join(folder, 'recording.jsonl'), lines.join(''));
  return { at: (name) => join(folder, name) };
}

test('it prints what was found and what remains a guess, and the deployment serves the sandbox and check', async () => {
  const profile = { required: { Account: ['customers.*.family_name'] } };
  const { at } = await recording({ profile, unknownFields: 'drop' });
  const { code, out } = await run('learn', at('recording.jsonl'), '--out', at('deployment.json'));
  expect(code).toBe(0);
  expect(out).toContain('3 calls; 3 are answered by the sandbox as by the service.\n');
  expect(out).toMatch(/^unknownFields +"drop"$/m);
  expect(out).toMatch(/^missingSlash +"not-found" +imports\.status without the slash at the end of the path$/m);
  const deployment = JSON.parse(readFileSync(at('deployment.json'), 'utf8')) as Partial<SandboxSettings>;
  expect(deployment).toMatchObject({ profile, unknownFields: 'drop' });
  expect(createSandbox({ settings: deployment }).token).toBe('sandbox-token');

  const account = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1', customers: [{}] };
  writeFileSync(at('input.jsonl'), `${JSON.stringify({ account })}\n`);
  const checked = await run('check', at('input.jsonl'), '--profile', at('deployment.json'));
  expect(checked.code).not.toBe(0);
  expect(checked.out).toContain('customers.0.family_name');
});

test('a file that exists is kept, and an invalid recording is named with its line; exit code 2', async () => {
  const { at } = await recording({});
  writeFileSync(at('kept.json'), 'kept');
  const existing = await run('learn', at('recording.jsonl'), '--out', at('kept.json'));
  expect([existing.code, existing.err]).toEqual([
    2,
    `data-import-sdk: --out: ${at('kept.json')} exists already. Give another path.\n`,
  ]);
  expect(readFileSync(at('kept.json'), 'utf8')).toBe('kept');
  writeFileSync(at('other.jsonl'), '{}\n');
  const invalid = await run('learn', at('other.jsonl'), '--out', at('new.json'));
  expect(invalid.code).toBe(2);
  expect(invalid.err).toContain(`${at('other.jsonl')}, line 1 is no recorded call (at).`);
});

test('a file that is no recording ends in one message that says why', async () => {
  const { at } = await recording({});
  const [line] = readFileSync(at('recording.jsonl'), 'utf8').split('\n');
  mkdirSync(at('folder'));
  const files = {
    'empty.jsonl': '',
    'binary.jsonl': Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff]),
    'utf16.jsonl': Buffer.from(`${line}\n`, 'utf16le'),
    'wrong.jsonl': `${line}\nnot JSON\n`,
    'cut.jsonl': `${line}\n${line?.slice(0, 40)}`,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(at(name), content);
  const said = async (name: string) => {
    const { code, err } = await run('learn', at(name), '--out', at('new.json'));
    return [code, err.replace(at(name), name)];
  };
  const notText = 'is not text in UTF-8; expected a recording, which --record or recordCalls writes.';
  expect(await Promise.all(['none.jsonl', 'folder', ...Object.keys(files)].map(said))).toEqual(
    [
      'none.jsonl cannot be read (there is no such file); expected a recording.',
      'folder cannot be read (it is a folder); expected a recording.',
      'empty.jsonl has no recorded call. Record some calls with --record or recordCalls.',
      `binary.jsonl ${notText}`,
      `utf16.jsonl ${notText}`,
      'wrong.jsonl, line 2 is not valid JSON. Expected a line that recordCalls has written.',
      'cut.jsonl, line 2 is cut off: the recording ended while it was written. Delete the line; the others are a recording without it.',
    ].map((message) => [2, `data-import-sdk: ${message}\n`]),
  );
  expect(existsSync(at('new.json'))).toBe(false);
});

test('run --record writes a recording for learn, once; a command that continues the run does not repeat it', async () => {
  const { at } = await recording({});
  writeFileSync(
    at('input.jsonl'),
    '{"account":{"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"A-1"}}\n',
  );
  const words = ['run', at('input.jsonl'), '--sandbox', '--run', at('run'), '--record', at('calls.jsonl')];
  expect((await run(...words)).code).toBe(0);
  const learned = await run('learn', at('calls.jsonl'), '--out', at('deployment.json'));
  expect(learned.out).toMatch(/^(\d+) calls; \1 are answered by the sandbox as by the service\.$/m);
  expect(readFileSync(at('calls.jsonl'), 'utf8')).not.toMatch(/A-1|SANDBOX_SUPPLIER/);
  const again = await run(...words);
  expect([again.code, again.err]).toEqual([
    2,
    `data-import-sdk: --record: ${at('calls.jsonl')} exists already; a recording is of one command. Give another path.\n`,
  ]);
});
