/** What a session prints after "Next" leads on: dead ends that it once had, and the commands that it prints (issue 19). */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { nextInWords, nextSteps } from '../../../src/cli/session/next-commands.js';
import type { Step } from '../../../src/migration/ledger/ledger.js';
import { createLineTally } from '../../../src/migration/report/summary/line-counts.js';
import { summarise } from '../../../src/migration/report/summary/summary.js';
import { ledgerOf, record } from '../../migration/ledger/records.js';
import type { Fault, ServiceRequest } from '../../support/import-service.js';
import { account, ended, line, openFolder, openImportService, resolveWhenQuiet, run, valuesIn } from '../typed.js';

const { at, inputFile } = openFolder();

async function open(fault?: (request: ServiceRequest) => Fault | undefined) {
  return openImportService(fault === undefined ? {} : { fault });
}

const WRONG = { customers: [{ landline: '12' }] };

test('an unreadable line of a file that is gone for good is rejected until its entry is deleted', async () => {
  await open();
  const folder = at('gone');
  const [first, second] = [at('gone-1.jsonl'), inputFile('gone-2.jsonl', account('A-2'))];
  writeFileSync(first, '{"account":\n');
  expect(await run('run', first, second, '--run', folder)).toMatchObject({ code: 3 });
  rmSync(first);
  const left = await run('run', second, '--run', folder);
  expect(left.code).toBe(3);
  expect(left.out).toContain(
    'A line of a file that is gone for good: delete its entry in rejected.jsonl, and run again.',
  );
  writeFileSync(`${folder}/rejected.jsonl`, '');
  expect(await run('run', second, '--run', folder)).toMatchObject({ code: 0 });
});

describe('a rejected record whose line is no longer in the input', () => {
  test('has its own number and file, until data-import-sdk forget removes it', { tags: 'long' }, async () => {
    await open();
    const folder = at('number');
    const path = inputFile('number.jsonl', account('A-1', WRONG), account('A-2'));
    expect(await run('run', path, '--run', folder)).toMatchObject({
      code: 3,
      out: expect.stringMatching(
        /\nNext \(1 rejected\): correct the lines in the input \(rejected\.jsonl lists them\), and run again; .*\nTo run again: data-import-sdk run .*number\.jsonl --run .*\n$/,
      ),
    });

    inputFile('number.jsonl', account('A-1b'), account('A-2'));
    const corrected = await run('run', path, '--run', folder);
    expect(corrected.code).toBe(3);
    expect(corrected.out).toContain('2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2\n');
    expect(corrected.out).toMatch(
      /\nNext \(1 no longer in the input\): .* Otherwise: data-import-sdk forget --run \S+ --not-in-input\n/,
    );
    const entry = { number: 'A-1', line: 1, original: line(account('A-1', WRONG)).trim() };
    expect(valuesIn(`${folder}/not-in-input.jsonl`)).toMatchObject([entry]);
    expect(valuesIn(`${folder}/rejected.jsonl`)).toEqual([]);

    expect(await run('forget', '--run', folder, '--not-in-input')).toMatchObject({
      code: 0,
      out: 'Forgot account A-1\n1 record forgotten.\n2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2\n',
    });
    expect(valuesIn(`${folder}/not-in-input.jsonl`)).toEqual([]);
    expect(readFileSync(`${folder}/audit.log`, 'utf8')).toMatch(
      / operator forget: account …1 \(\S*number\.jsonl:1\), rejected\n/,
    );
    expect(await run('run', path, '--run', folder)).toMatchObject({ code: 0 });
  });

  test('continues if its line is in the input again', async () => {
    const service = await open();
    const folder = at('back');
    const path = inputFile('back.jsonl', account('A-1', WRONG), account('A-2'));
    await run('run', path, '--run', folder);
    inputFile('back.jsonl', account('A-2'));
    expect((await run('run', path, '--run', folder)).out).toContain('Next (1 no longer in the input)');
    inputFile('back.jsonl', account('A-1'), account('A-2'));
    expect(await run('run', path, '--run', folder)).toMatchObject({ code: 0 });
    expect([...service.accounts.keys()].sort()).toEqual(['SANDBOX_SUPPLIER/A-1', 'SANDBOX_SUPPLIER/A-2']);
  });

  test('stays so in a session that does not read the whole input, and is rejected if its file is not given', async () => {
    await open();
    const folder = at('other');
    const path = inputFile('first.jsonl', account('A-1', WRONG), account('A-2'));
    await run('run', path, '--run', folder);
    const second = inputFile('second.jsonl', account('A-3'));
    expect((await run('run', second, '--run', folder)).out).toContain('2 created + 0 already imported + 1 rejected');
    inputFile('first.jsonl', account('A-2'));
    await run('run', path, second, '--run', folder);
    const canary = await run('run', path, second, '--run', folder, '--canary', '1');
    expect(canary.out).toContain('2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2');
  });
});

describe('a line or a row without a record', () => {
  const MAP = `export default ({ number, name }) => {
  if (name === 'wrong') throw new Error('no name');
  return { account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: number }, notes: name === 'date' ? [new Date(0)] : [] };
};
`;
  const RECORD = line(account('A-2'));

  test.each<[what: string, name: string, wrong: string, right: string, count: number]>([
    [
      'too few cells, a mapping that throws, and a value that JSON lacks',
      'rows.csv',
      'number;name\nA-1;x\nA-2\nA-3;wrong\nA-4;date\n',
      'number;name\nA-1;x\nA-2;y\nA-3;y\nA-4;y\n',
      3,
    ],
    [
      'more than the longest line',
      'long.jsonl',
      line(account('A-1')) + 'x'.repeat(1_100_000),
      line(account('A-1')) + RECORD,
      1,
    ],
  ])('%s: the command that is printed last sends the corrected file', async (_, name, wrong, right, count) => {
    const service = await open();
    const path = at(name);
    writeFileSync(path, wrong);
    writeFileSync(at('map.mjs'), MAP);
    const map = name.endsWith('.csv') ? ['--map', at('map.mjs')] : ['--longest-line', '1'];
    const { code, out } = await run('run', path, ...map, '--run', at(`${name}-run`));
    expect(code).toBe(3);
    expect(out).toContain(
      `\nNext (${count} rejected, lines and rows without a record): correct them in their files (rejected.jsonl lists them), or correct the mapping or the query, and run again: retry cannot read them.`,
    );
    expect(out).not.toContain(`Next (${count} rejected)`);
    const [, printed = ''] = /\nTo run again: data-import-sdk (.*)\n$/.exec(out) ?? [];
    writeFileSync(path, right);
    expect(await run(...printed.split(' '))).toMatchObject({ code: 0 });
    const numbers = Array.from({ length: count + 1 }, (_, index) => `SANDBOX_SUPPLIER/A-${index + 1}`);
    expect([...service.accounts.keys()].sort()).toEqual(numbers);
  });
});

test('a line of JSON with other bytes than UTF-8 can be corrected in rejected.jsonl too', async () => {
  await open();
  const path = at('bytes.jsonl');
  writeFileSync(path, Buffer.from(line(account('A-\u00e9')), 'latin1'));
  expect((await run('run', path, '--run', at('bytes'))).out).toContain(
    '\nNext (1 rejected): correct the lines in the input (rejected.jsonl lists them), and run again;',
  );
});

describe('an unfinished account whose line is no longer in the input', () => {
  const LINES =
    'put the lines back into the input (unfinished.jsonl lists them), and run again: only the lines have what was not sent.';

  test.each<[what: string, intent: Step | null, advice: string]>([
    [
      'that exists without its notes: a person may give them up',
      null,
      `${LINES} If one was removed on purpose, give up what was not sent: data-import-sdk resolve --run r --accept removed --account '<number>'`,
    ],
    [
      'whose statements got no answer: resolve can settle them',
      'statements',
      `${LINES} If they were removed on purpose, first settle those with an unknown outcome: data-import-sdk resolve --run r`,
    ],
  ])('%s', async (_, intent, advice) => {
    const ledger = await ledgerOf([
      record('A-1', { done: 'process', intent, difference: { is: 'removed' } }),
      record('A-2', { outcome: 'rejected', errors: [{ step: 'check', code: 'required', attr: 'account.x' }] }),
      record('A-3', { done: 'process', outcome: 'unknown', unknown: ['statements'] }),
    ]);
    const summary = await summarise(ledger, { lines: createLineTally().counts() });
    const text = 'data-import-sdk run in.jsonl --run r';
    const command = { verb: 'run', parts: [{ value: 'in.jsonl' }, { flag: '--run', value: 'r' }] };
    const commands = { continueWith: text, runCommand: text, runAgainWith: [], configuration: {} };
    const situation = {
      ...commands,
      state: 'unfinished',
      summary,
      folder: 'r',
      program: 'data-import-sdk',
      command,
    } as const;
    const next = nextSteps(situation).map(nextInWords);
    expect(next).toContain(`Next (1 unfinished, without a line in the input): ${advice}`);
    // Another session does not help it: all that is left is named.
    expect(next).toContain('Next (1 unknown): data-import-sdk resolve --run r');
    expect(next).toContainEqual(expect.stringContaining('Next (1 rejected): '));
    expect(next.at(-1)).toBe(`To run again: ${text}`);
  });
});

describe('data-import-sdk forget', () => {
  test('refuses what it cannot forget: code 2, one line, and nothing is forgotten', async () => {
    await open();
    const folder = at('refused');
    const path = inputFile('refused.jsonl', account('A-1', WRONG), account('A-2'));
    await run('run', path, '--run', folder);
    for (const [flags, message] of [
      [['--account', 'A-2'], 'account A-2 exists on the service, so it cannot be forgotten.'],
      [['--account', 'A-9'], 'has no account A-9.'],
      [[], 'expected one of --account <number>, --business <identifier>, --populate <number> and --not-in-input.'],
      [['--account', 'A-1', '--not-in-input'], 'expected one of --account <number>'],
    ] as const) {
      const { code, err, out } = await run('forget', '--run', folder, ...flags);
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(/^data-import-sdk: .*\n$/);
      expect(err).toContain(message);
    }
    expect((await run('report', '--run', folder)).out).toContain('1 created + 0 already imported + 1 rejected');
  });

  test('takes one account, by its number', async () => {
    await open();
    const folder = at('one');
    const path = inputFile('one.jsonl', account('A-1', WRONG), account('A-2', WRONG));
    await run('run', path, '--run', folder);
    const { code, out } = await run('forget', '--run', folder, '--account', 'A-1');
    expect(code).toBe(0);
    expect(out).toContain(
      `Forgot account A-1. The last session read its line (${path}:1): if it is still in the input, the next run reads it as a new record\n1 record forgotten.\n0 created + 0 already imported + 1 rejected`,
    );
    expect(out).toMatch(/\nNext \(1 rejected\): .*\nTo run again: data-import-sdk run .*one\.jsonl --run .*\n$/);
    expect(valuesIn(`${folder}/rejected.jsonl`)).toMatchObject([{ number: 'A-2' }]);
  });

  test('creates no folder', async () => {
    expect((await run('forget', '--run', at('none'), '--account', 'A-1')).code).toBe(2);
    expect(existsSync(at('none'))).toBe(false);
  });
});

describe('after a retry of a corrected business', () => {
  const bare = (identifier: string | null) => ({
    business: {
      import_supplier_code: 'SANDBOX_SUPPLIER',
      external_business_identifier: 'B-1',
      business: { company_name: identifier, business_contracts: [{ identifier: 'C-1' }] },
    },
  });

  const instruction = { vendor: 'v', reference: 'R-1', type: 'CARD', accounts: [{ external_account_number: 'A-1' }] };

  test.each([
    ['its accounts are not left', {}, '1 record has not ended; its line is', ''],
    [
      'nor is its payment instruction for one of them',
      { payment_instructions: [instruction] },
      '2 records have not ended; the lines of 1 of them are',
      '; 1 has steps left, and waited for another record, for the outcome of a request, or for an answer that came as the session ended',
    ],
  ])('%s: the printed command is that of the run', { tags: 'long' }, async (_, more, left, waits) => {
    const service = await open();
    const business = (identifier: string | null) => ({ ...bare(identifier), ...more });
    const waiting = account('A-1', { business: { business_contract_identifier: 'C-1' } });
    const folder = at(`business-${Object.keys(more).length}`);
    const path = inputFile('business.jsonl', business(null), waiting);
    expect(await run('run', path, '--run', folder)).toMatchObject(ended(3, '1 account skipped because the business'));

    const corrected = at('corrected.jsonl');
    writeFileSync(corrected, line(business('Laiterie')));
    const retried = await run('retry', corrected, '--run', folder);
    expect([retried.code, retried.out]).toEqual([
      9,
      expect.stringMatching(
        new RegExp(
          `\\nUnfinished: ${left} in \\S+business\\.jsonl, which was not read${waits}\\.\\nNext: data-import-sdk run \\S+business\\.jsonl --run .+\\n$`,
        ),
      ),
    ]);
    expect((await run('status', '--run', folder)).out).toMatch(
      /\nNext: data-import-sdk run \S+business\.jsonl --run .+\n$/,
    );

    const again = await run('run', path, '--run', folder);
    expect(again.out).toContain('2 created + 0 already imported + 0 rejected');
    // The line of the input is still the one that was refused, and is not sent again.
    expect(again).toMatchObject(ended(0, '\n1 line was corrected with retry and not sent again ('));
    inputFile('business.jsonl', business('Laiterie'), waiting);
    expect(await run('run', path, '--run', folder)).toMatchObject({ code: 0 });
    expect(service.businesses.get('SANDBOX_SUPPLIER/B-1')).toHaveLength(1);
    expect(service.accounts.get('SANDBOX_SUPPLIER/A-1')?.numbers).toHaveLength(1);
  });
});

describe('statements that were resolved as not added', () => {
  const statement = (amount: number) => ({ statement_id: 'S-1', gross_amount: amount });

  test('are sent as the corrected line of the input has them, by the same command', async () => {
    let calls = 0;
    const service = await open(({ path }) =>
      path === 'historical-statements/create/' && calls++ === 0 ? 'reset' : undefined,
    );
    for (const name of ['TIMEOUT', 'IN_FLIGHT_GRACE']) vi.stubEnv(`DATA_IMPORT_${name}`, '0.3');
    const folder = at('statements');
    const withStatement = (amount: number) => ({ ...account('A-1'), statements: [statement(amount)] });
    const path = inputFile('statements.jsonl', withStatement(10));
    const lost = await run('run', path, '--run', folder);
    expect([lost.code, lost.out]).toEqual([
      4,
      expect.stringMatching(/\nNext \(1 unknown\): data-import-sdk resolve --run \S+statements\n/),
    ]);
    const resolved = await resolveWhenQuiet('--run', folder, '--all', '--step', 'statements', '--as', 'not-done');
    expect(resolved.out).toMatch(
      /\nNo outcome is unknown\.\nNext: data-import-sdk run \S+statements\.jsonl --run \S+\n$/,
    );
    inputFile('statements.jsonl', withStatement(12));
    expect(await run('run', path, '--run', folder)).toMatchObject({ code: 0 });
    expect(service.accounts.get('SANDBOX_SUPPLIER/A-1')?.statements).toEqual(['S-1']);
  });
});

describe('a session whose files are as they were when they were read last', () => {
  const nextOf = (out: string) => /^Next: (.*)$/m.exec(out)?.[1];

  test('names the command that reads the file of a record which is to be sent again', async () => {
    let calls = 0;
    await open(({ path }) => (path === 'historical-statements/create/' && calls++ === 0 ? 'reset' : undefined));
    for (const name of ['TIMEOUT', 'IN_FLIGHT_GRACE']) vi.stubEnv(`DATA_IMPORT_${name}`, '0.3');
    const folder = at('files');
    const first = inputFile('files-1.jsonl', account('A-1'));
    const second = inputFile('files-2.jsonl', {
      ...account('A-2'),
      statements: [{ statement_id: 'S-1', gross_amount: 1 }],
    });
    const both = ['run', first, second, '--run', folder];
    expect((await run(...both)).code).toBe(4);
    expect((await run('run', first, '--run', folder)).code).toBe(4);
    await resolveWhenQuiet('--run', folder, '--all', '--step', 'statements', '--as', 'not-done');
    const again = await run('run', first, '--run', folder);
    expect([again.code, nextOf(again.out)]).toEqual([9, `data-import-sdk ${both.join(' ')}`]);
    expect((await run(...both)).code).toBe(0);
  });

  test('names also the command that reads the file of a rejected record, each time', async () => {
    await open();
    const folder = at('rejected-files');
    const first = inputFile('rejected-1.jsonl', account('A-1', WRONG));
    const both = ['run', first, inputFile('rejected-2.jsonl', account('A-2', WRONG)), '--run', folder];
    expect((await run(...both)).code).toBe(3);
    for (const time of ['read', 'unchanged', 'unchanged again']) {
      const { out } = await run('run', first, '--run', folder);
      const again = out.match(/(?<=^To run again: data-import-sdk ).*/gm);
      expect([time, again]).toEqual([time, [`run ${first} --run ${folder}`, both.join(' ')]]);
    }
  });

  test('does not name the former name of a file with a rejected record', async () => {
    await open();
    const folder = at('rejected-renamed');
    await run('run', inputFile('former.jsonl', account('A-1', WRONG)), '--run', folder);
    const renamed = ['run', inputFile('new.jsonl', account('A-1', WRONG)), '--run', folder];
    for (const time of ['read', 'unchanged', 'unchanged again']) {
      const { out } = await run(...renamed);
      expect([time, out.match(/(?<=^To run again: data-import-sdk ).*/gm)]).toEqual([time, [renamed.join(' ')]]);
    }
  });

  test('names its own command if the file of the record was renamed', async () => {
    let isWell = false;
    await open(({ path }) => (path.endsWith('process/process/') && !isWell ? { status: 500, body: {} } : undefined));
    vi.stubEnv('DATA_IMPORT_MAX_RETRIES', '0');
    const folder = at('renamed');
    const first = inputFile('renamed-1.jsonl', account('A-1'));
    const both = ['run', first, inputFile('renamed-2.jsonl', account('A-2')), '--run', folder];
    expect((await run(...both)).code).toBe(9);
    const renamed = ['run', first, inputFile('renamed-3.jsonl', account('A-2')), '--run', folder];
    for (const time of ['read', 'unchanged']) {
      const { code, out } = await run(...renamed);
      expect([time, code, nextOf(out)]).toEqual([time, 9, `data-import-sdk ${renamed.join(' ')}`]);
    }
    isWell = true;
    expect((await run(...renamed)).code).toBe(0);
  });
});

test('both ways to correct a rejected record are printed, each with its command', async () => {
  await open();
  const input = inputFile('ways.jsonl', account('A-1', { customers: [{ landline: 'x' }] }));
  const folder = at('ways');
  const { out } = await run('run', input, '--run', folder);
  expect(out.split('\n').filter((text) => /^Next|^To run/.test(text))).toEqual([
    `Next (1 rejected): correct the lines in the input (rejected.jsonl lists them), and run again; --retry-rejected also sends unchanged lines. Or leave the input as it is, fill in the column "new value" of rejected.csv, save it as CSV (or correct the entries of rejected.jsonl, and name that file), and: data-import-sdk retry ${folder}/rejected.csv --run ${folder}`,
    `To run again: data-import-sdk run ${input} --run ${folder}`,
  ]);
});
