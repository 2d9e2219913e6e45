/** The counts of a run that did not come to its end, and of the last line of progress: those that its report has, or would have. */
import { cpSync, lstatSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { account, line, openFolder, openImportService, run } from '../typed.js';

const { at, inputFile } = openFolder();

/** A service that copies the run folder when it processes the account: the copy is what a process leaves that is killed then. */
async function copying(folder: string, copy: string, account: string) {
  await openImportService({
    fault({ path, body }) {
      const isThis = path.endsWith('/process/') && body['external_account_number'] === account;
      if (!isThis || body['dry_run'] === true) return undefined;
      cpSync(folder, copy, { recursive: true, filter: (path) => !lstatSync(path).isSocket() });
      return undefined;
    },
  });
}

const balanceOf = async (folder: string) =>
  /(\d+ created .* = \d+)\n/.exec((await run('status', '--run', folder)).out)?.[1];

test('status of a killed run counts the lines that became no record', async () => {
  const [folder, copy] = [at('first'), at('first-killed')];
  await copying(folder, copy, 'A-1');
  const input = inputFile('first.jsonl', account('A-1'), 'no record', account('A-1', { billing_name: 'other' }));
  expect(await run('run', input, '--run', folder)).toMatchObject({ code: 3 });
  expect(await balanceOf(copy)).toBe(
    '0 created + 0 already imported + 1 rejected + 1 skipped + 0 unknown + 1 unfinished = 3',
  );
  // Each line was begun.
  expect((await run('status', '--run', copy)).out).toMatch(/\nThe last session was aborted\.\nNext: .*\n$/);
  const { total, lines } = JSON.parse((await run('status', '--run', copy, '--json')).out);
  expect({ total, lines }).toEqual({ total: 1, lines: { rejected: 1, skipped: 1 } });
});

test('status of a killed run says how many lines it has not begun', async () => {
  const [folder, copy] = [at('many'), at('many-killed')];
  await copying(folder, copy, 'A-1');
  const input = inputFile('many.jsonl', account('A-0', { billing_name: null }));
  expect(await run('run', input, '--run', folder)).toMatchObject({ code: 3 });
  writeFileSync(input, [1, 2, 3, 4, 5, 6, 7, 8].map((number) => line(account(`A-${number}`))).join(''));
  expect(await run('run', input, '--run', folder, '--concurrency', '1')).toMatchObject({ code: 3 });
  const { out } = await run('status', '--run', copy);
  const [, records] = /^(\d) records: /m.exec(out) ?? [];
  const [, notBegun] =
    /^(\d) lines of the input have not been begun, and are in none of these numbers\.$/m.exec(out) ?? [];
  // The first record is one of the former input.
  expect(Number(records) + Number(notBegun)).toBe(9);
  expect(await run('forget', '--not-in-input', '--run', folder)).toMatchObject({ code: 0 });
  expect((await run('status', '--run', folder)).out).toMatch(/^8 records: (?:.*\n)+Not running\.\n$/m);
});

test('status of a killed run names what report names, which reads all records', async () => {
  const [folder, copy] = [at('all'), at('all-killed')];
  await copying(folder, copy, 'A-4');
  const input = inputFile('all.jsonl', account('A-1'), account('A-2'));
  await run('run', input, '--run', folder);
  writeFileSync(input, line(account('A-1', { billing_name: 'other' })) + line(account('A-4')));
  await run('run', input, '--run', folder, '--concurrency', '1');
  const nextOf = async (command: string) => (await run(command, '--run', copy)).out.match(/^Next.*/gm);
  const next = await nextOf('status');
  expect(next).toEqual([
    expect.stringMatching(/^Next \(1 changed after they were sent\)/),
    expect.stringMatching(/^Next: /),
  ]);
  expect(next).toEqual(await nextOf('report'));
});

test('a line that was corrected before the run was killed counts once, and those of another input are kept', async () => {
  const [folder, copy] = [at('second'), at('second-killed')];
  await copying(folder, copy, 'A-2');
  await run('run', inputFile('other.jsonl', account('B-1'), 'no record', 'nor this'), '--run', folder);
  const input = inputFile('second.jsonl', account('A-1'), 'no record');
  await run('run', input, '--run', folder);
  writeFileSync(input, line(account('A-1')) + line(account('A-2')));
  await run('run', input, '--run', folder);
  expect(await balanceOf(copy)).toBe(
    '2 created + 0 already imported + 2 rejected + 0 skipped + 0 unknown + 1 unfinished = 5',
  );
});

test('the last line of progress counts accounts that wait for their business as the report does', async () => {
  await openImportService();
  const contract = { account_type: 'BUSINESS', business: { business_contract_identifier: 'C-1' } };
  const business = {
    business: {
      import_supplier_code: 'SANDBOX_SUPPLIER',
      external_business_identifier: 'B-1',
      business: { shoe_size: 44, business_contracts: [{ identifier: 'C-1' }] },
    },
  };
  const input = inputFile(
    'waiting.jsonl',
    business,
    account('A-1', contract),
    account('A-2', contract),
    account('A-3'),
  );
  const { out, err } = await run('run', input, '--run', at('waiting'), '--log-format', 'json');
  expect(JSON.parse(out).balance.text).toBe('1 created + 0 already imported + 1 rejected + 2 skipped + 0 unknown = 4');
  const [last = ''] = err
    .split('\n')
    .filter((text) => text.includes('"event":"progress"'))
    .slice(-1);
  expect(JSON.parse(last)).toMatchObject({
    records: { total: 4, created: 1, alreadyImported: 0, rejected: 1, skipped: 2, unknown: 0 },
  });
});
