/** `data-import-sdk sample`, `check`, `run` and `status`, as typed: from a sample input to its report. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { account, ended, line, openFolder, openService, run, runIn, signalInSession, valueIn } from '../typed.js';

const { at, inputFile } = openFolder();

describe('data-import-sdk sample and check', () => {
  test('the same seed gives the same input, and the check finds its mistakes', async () => {
    const first = await run('sample', '--accounts', '50', '--seed', '3');
    expect(first.code).toBe(0);
    expect(first.out.trim().split('\n')).toHaveLength(53);
    expect((await run('sample', '--accounts', '50', '--seed', '3')).out).toBe(first.out);
    writeFileSync(at('sample.jsonl'), first.out);
    expect(await run('check', at('sample.jsonl'))).toMatchObject({ code: 3, err: '' });
    const flawless = await run('sample', '--accounts', '50', '--mistakes', '0');
    writeFileSync(at('flawless.jsonl'), flawless.out);
    const { code, out, err } = await run('check', at('flawless.jsonl'));
    // One payment of many accounts is dated before the open statement period: one line of the summary.
    expect([code, err, out.match(/error|warning(?: \w+)?/g)]).toEqual([
      0,
      '',
      ['error', 'warning', 'warning transaction_before_open_period'],
    ]);
    expect(out).toMatch(/^53 lines, 0 errors, 1 warning\n {7}25 {2}warning transaction_before_open_period at\s/);
  });

  test('each finding has its file and line, and the groups follow', async () => {
    const path = inputFile(
      'bad.jsonl',
      account('A-1'),
      account('A-2', { customers: [{ landline: 'x' }] }),
      account('A-1', { sales_channel: 'WEB' }),
    );
    // A long path is on a separate line.
    const { out, ...rest } = await run('check', path, '--no-warnings');
    expect({ ...rest, out: out.replaceAll(path, 'in').replaceAll(/\n {11}(?=in|as)/g, ' ') }).toEqual({
      code: 3,
      err: '',
      out: `in:2: error account.customers.0.landline invalid_phone_number: Expected a telephone number, best in international form such as +33612345678.
in:3: error account.external_account_number contradicting_record: An earlier record has the same number and other content: only the earlier one is sent. (in:1)
3 lines, 2 errors
        1  error contradicting_record at account.external_account_number
           First: in:3 as in:1
        1  error invalid_phone_number at account.customers.*.landline
           First: in:2
Values are hidden: --show-personal-data shows them.
`,
    });
  });

  test('--json gives a line of JSON for each finding, also for lines that hold no record', async () => {
    writeFileSync(at('broken.jsonl'), `${line(account('A-1'))}{"account":\n`);
    const { code, out } = await run('check', at('broken.jsonl'), '--json');
    expect(code).toBe(3);
    expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({
      source: at('broken.jsonl'),
      line: 2,
      code: 'invalid_json',
      severity: 'error',
    });
  });
});

describe('data-import-sdk run', () => {
  test('status also counts lines that have no record, and lines whose number another line has', async () => {
    const input = inputFile('lines.jsonl', account('A-1'), account('A-1', { sales_channel: 'WEB' }), 'no record');
    await run('run', input, '--sandbox', '--run', at('lines'));
    const { out } = await run('status', '--sandbox', '--run', at('lines'));
    expect(out.split('\n')[1]).toBe(
      'All lines: 1 created + 0 already imported + 1 rejected + 1 skipped + 0 unknown = 3',
    );
    expect(out).not.toContain('0 skipped');
  });

  const rehearse = (path: string, name: string, ...more: string[]) =>
    run('run', path, '--sandbox', '--run', at(name), '--process-concurrency', '8', ...more);

  test('an input without mistakes ends with code 0 and a balance', async () => {
    const path = inputFile('good.jsonl', account('A-1'), account('A-2'));
    const { code, out } = await rehearse(path, 'good');
    expect({ code, out }).toEqual({
      code: 0,
      out: `Target: Rehearsal (sandbox). Nothing was sent to a service.
2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2
Report: ${at('good')}/report.html
`,
    });
    expect(statSync(at('good')).mode & 0o777).toBe(0o700);
    expect(readFileSync(at('good/ok.csv'), 'utf8')).toContain('A-1');
    expect(await run('status', '--run', at('good'))).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^Target: Rehearsal \(sandbox\)\n2 records: 2 created, 0 already imported, 0 rejected, 0 skipped, 0 unknown, 0 unfinished\nInput: .*good\.jsonl \(166 bytes, .*\)\nNot running\.\n$/,
      ),
    });
  });

  test('a rehearsal ignores an address from the environment, and refuses one on the command line', async () => {
    const sandbox = await openService();
    const path = inputFile('rehearsal.jsonl', account('A-1'));
    const { code, out } = await rehearse(path, 'rehearsal');
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toBe('Target: Rehearsal (sandbox). Nothing was sent to a service.');
    expect(sandbox.requests()).toEqual([]);
    const both = {
      code: 2,
      out: '',
      err: 'data-import-sdk: --base-url and --sandbox (or DATA_IMPORT_SANDBOX) contradict each other: a rehearsal uses no service. Leave out one of them.\n',
    };
    const address = ['--base-url', 'http://127.0.0.1:9'];
    expect(await rehearse(path, 'both', ...address)).toEqual(both);
    vi.stubEnv('DATA_IMPORT_SANDBOX', 'true');
    expect(await run('verify', '--run', at('rehearsal'), ...address)).toEqual(both);
    // A run that is none: nothing is said of a rehearsal.
    vi.stubEnv('DATA_IMPORT_SANDBOX', undefined);
    expect((await run('run', path, '--run', at('earnest'))).out).not.toContain('Rehearsal');
  });

  test('lines that differ from existing records are counted, with their place', async () => {
    const names = ['A-1', 'A-2', 'A-3', 'A-4'];
    inputFile('changed.jsonl', ...names.map((number) => account(number)));
    await rehearse(at('changed.jsonl'), 'changed');
    inputFile('changed.jsonl', ...names.map((number) => account(number, { sales_channel: 'X' })));
    expect(await rehearse(at('changed.jsonl'), 'changed')).toMatchObject(
      ended(
        3,
        '\n4 lines differ from what exists (changed.jsonl:1, changed.jsonl:2, changed.jsonl:3, …; see changed.jsonl). The differences were not sent: an import cannot change existing records.\n',
      ),
    );
  });

  test('a run with rejected records ends with code 3, and lists their lines for correction', async () => {
    const path = inputFile('mixed.jsonl', account('A-1'), account('A-2', { customers: [{ landline: 'x' }] }));
    const { code, out } = await rehearse(path, 'mixed', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      state: 'finished',
      created: 1,
      rejected: 1,
      input: 2,
      errors: [{ step: 'check', code: 'invalid_phone_number', attr: 'account.customers.*.landline', count: 1 }],
    });
    const rejected = valueIn(at('mixed/rejected.jsonl'));
    expect(JSON.parse(rejected.original)).toEqual(account('A-2', { customers: [{ landline: 'x' }] }));
  });

  test('the canary takes the first records, and prints how to continue; the same folder continues', async () => {
    const sandbox = await openService();
    const path = inputFile('three.jsonl', account('A-1'), account('A-2'), account('A-3'));
    const args = ['run', path, '--run', at('canary')];
    const canary = await run(...args, '--canary', '2');
    expect(canary.code).toBe(7);
    expect(canary.out).toContain('2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2\n');
    expect(canary.out).toContain(`Next: data-import-sdk run --canary 0 ${args.slice(1).join(' ')}\n`);
    expect(await run(...args)).toMatchObject(ended(0, '3 created'));
    const creations = sandbox.requests().filter(({ change }) => change === 'staged → imported');
    expect(creations.map(({ account: number }) => number)).toEqual(['A-1', 'A-2', 'A-3']);
  });

  test('a refused record is retried only on request, and a corrected line at once', async () => {
    const sandbox = await openService();
    const ofContract = account('A-1', { business: { business_contract_identifier: 'C-1' } });
    const mistaken = account('A-2', { customers: [{ landline: 'x' }] });
    const path = inputFile('retry.jsonl', ofContract, mistaken);
    const args = ['run', path, '--run', at('retry')];
    expect(await run(...args)).toMatchObject(ended(3, '0 created'));
    const headers = { Authorization: `Token ${sandbox.token}`, 'Content-Type': 'application/json' };
    const business = { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' };
    const body = JSON.stringify({ ...business, business: { business_contracts: [{ identifier: 'C-1' }] } });
    await sandbox.fetch('http://sandbox.example.com/v1/data-import/business/', { method: 'POST', headers, body });
    inputFile('retry.jsonl', ofContract, account('A-2', { customers: [{ landline: '' }] }));
    expect(await run(...args)).toMatchObject(ended(3, '1 created'));
    expect(await run(...args, '--retry-rejected')).toMatchObject(ended(0, '2 created'));
  });

  test('an unknown outcome ends with code 4, and the output has the command to resolve it; its account exists for verify', async () => {
    await openService({
      faults: [{ match: { operation: 'historicalStatements.create' }, effect: 'drop', phase: 'afterCommit' }],
    });
    const path = inputFile('lost.jsonl', { ...account('A-1'), statements: [{ statement_id: 'S-1' }] });
    const args = ['run', path, '--run', at('lost')];
    const { code, out } = await run(...args);
    expect(code).toBe(4);
    expect(out).toContain('0 created + 0 already imported + 0 rejected + 0 skipped + 1 unknown = 1\n');
    expect(out).toContain('      1  unknown at statements: ');
    expect(readFileSync(at('lost/unknown.jsonl'), 'utf8')).toContain('A-1');
    expect(await run('verify', '--run', at('lost'))).toMatchObject({
      code: 0,
      out: 'Not compared: 1 statement. The service does not list items; --extract compares amounts with an extract of the operator.\n= 1 account agrees, 0 differ; items of accounts that exist: 1 unknown (1 statement)\n',
    });
  });

  test('a supplier that is Paused halts it at once with code 8, and it resumes when it is Ongoing', async () => {
    const sandbox = await openService({ suppliers: [{ code: 'SANDBOX_SUPPLIER', status: 'Paused' }] });
    const path = inputFile('paused.jsonl', account('A-1'), account('A-2'));
    const args = ['run', path, '--run', at('paused')];
    expect(await run(...args)).toMatchObject(
      ended(8, 'Halted: the service refuses import supplier SANDBOX_SUPPLIER (import_supplier_not_ongoing)'),
    );
    sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Ongoing');
    expect((await run(...args)).code).toBe(0);
  });

  test.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s drains it: calls in flight end, code %i, and the same command resumes', async (signal, code) => {
    const path = inputFile('drained.jsonl', account('A-1'), account('A-2'));
    const drained = await runIn(signalInSession(signal), ...['run', path, '--sandbox', '--run', at(signal)]);
    expect(drained.code).toBe(code);
    expect(drained.out).toContain('\nNext: data-import-sdk run ');
    expect((await rehearse(path, signal)).code).toBe(0);
  });

  test.each([
    ['SIGHUP', 'which a closed terminal sends, aborts no call', 129, false],
    ['SIGINT', 'aborts the calls in flight', 130, true],
  ] as const)('a second %s, %s: code %i', async (signal, _, code, isAborted) => {
    const lost: boolean[] = [];
    await openService({
      settings: { processDurationMs: 1, lostRequests: 'stop' },
      async wait(_, connection) {
        for (const one of [signal, signal]) process.emit(one, one);
        for (let turn = 0; turn < 1000 && !connection.aborted; turn++) await new Promise(setImmediate);
        lost.push(connection.aborted);
      },
    });
    const path = inputFile('twice.jsonl', account('A-1'));
    expect(await run('run', path, '--run', at(`twice-${signal}`), '--concurrency', '1')).toMatchObject({ code });
    expect(lost).toEqual([isAborted]);
  });

  test.each(['SIGHUP', 'SIGINT', 'SIGTERM'] as const)(
    '%s is listened for as long as there is something to end',
    async (signal) => {
      const before = process.listenerCount(signal);
      const out = (text: string) => {
        if (text.startsWith('{')) queueMicrotask(() => process.emit(signal, signal));
      };
      expect(await runIn({ out }, 'sandbox', '--port', '0', '--json')).toMatchObject({ code: 0 });
      expect(process.listenerCount(signal)).toBe(before);
    },
  );

  test('a folder that takes no socket is reported, and the run continues', async () => {
    mkdirSync(at('mounted/control.sock'), { recursive: true });
    writeFileSync(at('mounted/.gitignore'), '*\n');
    const { code, err } = await rehearse(inputFile('one.jsonl', account('A-1')), 'mounted');
    expect(err).toBe(
      `data-import-sdk: no control socket for ${at('mounted')} (ERR_FS_EISDIR): pause, resume, drain, set and status cannot reach this run. Ctrl-C drains it.\n`,
    );
    expect(code).toBe(0);
  });

  test.each<[string, string[], string]>([
    ['no such input', ['/none.jsonl'], '/none.jsonl'],
    ['no team', ['INPUT', '--base-url', 'http://127.0.0.1:9'], 'no team: give --team'],
    ['a window that is none', ['INPUT', '--sandbox', '--window', 'at night'], 'window "at night"'],
    ['rules that are none', ['INPUT', '--sandbox', '--halt', 'soon'], 'halt "soon"'],
    ['bounds that are none', ['INPUT', '--sandbox', '--process-concurrency', '8-2'], 'Expected bounds such as 2-24'],
    [
      'a port of health that is none',
      ['INPUT', '--sandbox', '--health', 'x'],
      '--health: found x, expected a port such as 9464',
    ],
    [
      'the time zone of no window',
      ['INPUT', '--sandbox', '--time-zone', 'UTC'],
      '--time-zone has no effect without --window: give',
    ],
    [
      'the name of no distributed run',
      ['INPUT', '--sandbox', '--name', 'x'],
      '--name has no effect without --distributed: give',
    ],
    [
      'the schema of no database',
      ['INPUT', '--sandbox', '--database-schema', 'x'],
      '--database-schema has no effect without --database: give',
    ],
    ['a folder with other things', ['INPUT', '--sandbox', '--run', '.'], 'has other files'],
    [
      'a TZ that Node.js takes as UTC',
      ['INPUT', '--sandbox', '--window', '20:00-06:00'],
      'time zone "Europe/Atlantis"',
    ],
  ])('%s ends in one line and code 2, before there is a folder', async (_, args, message) => {
    vi.stubEnv('DATA_IMPORT_TOKEN', 'T');
    vi.stubEnv('TZ', ':Europe/Atlantis');
    onTestFinished(() => void vi.unstubAllEnvs());
    const path = inputFile('usage.jsonl', account('A-1'));
    const words = args.map((word) => (word === 'INPUT' ? path : word));
    const { code, err } = await run('run', '--run', at('usage'), ...words);
    expect(err).toContain(message);
    expect(err).not.toContain('    at ');
    expect([code, existsSync(at('usage'))]).toEqual([2, false]);
  });
});

describe('data-import-sdk verify', () => {
  test('counts equal accounts, and lists those that only one side has or that differ; code 5', async () => {
    const sandbox = await openService();
    const records = ['A-1', 'A-2', 'A-3', 'A-4'].map((number) => account(number));
    const refused = account('A-5', { customers: [{ landline: 'x' }] });
    const path = inputFile('verify.jsonl', ...records, refused);
    await run('run', path, '--run', at('verify'));
    expect(await run('verify', '--run', at('verify'))).toEqual({
      code: 0,
      out: '= 4 accounts agree, 0 differ, 1 not imported on either side\n',
      err: '',
    });

    vi.stubEnv('DATA_IMPORT_TOKEN', 'wrong');
    expect(await run('verify', '--run', at('verify'))).toEqual({
      code: 8,
      out: '',
      err: expect.stringMatching(/^data-import-sdk: imports\.streamAll: 401 .*\n$/),
    });
    vi.stubEnv('DATA_IMPORT_TOKEN', sandbox.token);

    // Another day, another service: one account is gone, one is only staged, one has another number, two came besides.
    const snapshot = sandbox.snapshot();
    const [supplier] = snapshot.state.suppliers;
    const find = (number: string) =>
      supplier?.accounts.find((candidate) => candidate.external_account_number === number);
    const first = find('A-1');
    if (supplier === undefined || first?.imported == null) throw new Error('the run has not imported A-1');
    const known = first.imported.service_account_number;
    supplier.accounts = [
      { ...first, imported: { ...first.imported, service_account_number: '42' } },
      { ...first, external_account_number: 'A-2', imported: null },
      ...supplier.accounts.filter((candidate) => candidate.external_account_number === 'A-4'),
      { ...first, external_account_number: 'A-5', imported: { ...first.imported, service_account_number: '5' } },
      { ...first, external_account_number: 'Z-1', imported: { ...first.imported, service_account_number: '6' } },
      { ...first, external_account_number: 'Z-2', imported: null },
    ];
    sandbox.restore(snapshot);
    const { code, out } = await run('verify', '--run', at('verify'));
    expect(code).toBe(5);
    expect(out.split('\n').sort()).toEqual(
      [
        '',
        '! SANDBOX_SUPPLIER A-2: created in the ledger, and only staged on the service',
        `! SANDBOX_SUPPLIER A-1: ${known} in the ledger, and 42 on the service`,
        '+ SANDBOX_SUPPLIER A-5: imported as 5, and rejected in the ledger',
        '+ SANDBOX_SUPPLIER Z-1: imported, and not in the ledger',
        '- SANDBOX_SUPPLIER A-3: created in the ledger, and not known to the service',
        '      1  - Created in the ledger, and not known to the service. Ask the operator whether they were removed. If they were, run them in a new folder.',
        '      1  ! Created in the ledger, and only staged on the service. Ask the operator whether they were deleted or renumbered before you send anything again.',
        '      1  ! Known by another number on the service than in the ledger. Ask the operator which number is correct. ok.csv has that of the ledger.',
        '      1  + Imported on the service, and not created in the ledger. While a run is active, its calls in flight are among them: give verify again after the run. Otherwise continue the run, which looks up unfinished records. Rejected records were imported by another program.',
        '      1  + Imported on the service, and not in the ledger. Another run or a person has imported them. If that was not intended, ask the operator.',
        '= 1 account agrees, 5 differ',
      ].sort(),
    );
    expect(JSON.parse((await run('verify', '--run', at('verify'), '--json', '--limit', '1')).out)).toMatchObject({
      same: 1,
      notImported: 0,
      differing: 5,
      byKind: { missing: 1, onlyStaged: 1, otherNumber: 1, notCreated: 1, notInLedger: 1 },
      notShown: 4,
      differences: [{ number: 'A-1' }],
    });
  });

  test('prints fifty differences, and the number of the others by kind; --limit prints more or all', {
    tags: 'long',
  }, async () => {
    const sandbox = await openService();
    const numbers = Array.from({ length: 60 }, (_, index) => `A-${100 + index}`);
    const path = inputFile('many.jsonl', ...numbers.map((number) => account(number)));
    await run('run', path, '--run', at('many'));
    const snapshot = sandbox.snapshot();
    for (const supplier of snapshot.state.suppliers) supplier.accounts = [];
    sandbox.restore(snapshot);
    const printed = async (...limit: string[]) => {
      const { code, out } = await run('verify', '--run', at('many'), ...limit);
      expect(code).toBe(5);
      return out.trimEnd().split('\n');
    };
    const lines = await printed();
    expect(lines.filter((text) => text.startsWith('- SANDBOX_SUPPLIER A-1'))).toHaveLength(50);
    expect(lines.slice(50)).toEqual([
      '… and 10 more. --limit 0 prints all.',
      '     60  - Created in the ledger, and not known to the service. Ask the operator whether they were removed. If they were, run them in a new folder.',
      '= 0 accounts agree, 60 differ',
    ]);
    expect((await printed('--limit', '59'))[59]).toBe('… and 1 more. --limit 0 prints all.');
    expect(await printed('--limit', '0')).toHaveLength(62);
    expect(JSON.parse((await run('verify', '--run', at('many'), '--json')).out)).toMatchObject({
      differing: 60,
      notShown: 0,
    });
  });
});

test('steering of a folder without a run ends in one line and code 2', async () => {
  expect(await run('pause', '--run', at('none'))).toMatchObject({
    code: 2,
    err: `data-import-sdk: pause: there is no folder ${at('none')}. Give the folder of a run with --run <folder>, or --sandbox for the rehearsal.\n`,
  });
});
