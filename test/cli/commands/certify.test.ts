/** `data-import-sdk certify`: scripts that are processes, and what the command prints. The examples in other languages are in test/full. */
// @module-tag long
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openFolder, run } from '../typed.js';

const { at, inputFile } = openFolder();
const accounts = fileURLToPath(new URL('../../../examples/certify/accounts.jsonl', import.meta.url));

/** A short script: two requests for each account, whatever the answers are. */
function script(name: string, body: string): string {
  writeFileSync(
    at(name),
    `import { readFileSync } from 'node:fs';
const { DATA_IMPORT_BASE_URL: base, DATA_IMPORT_TOKEN: token, DATA_IMPORT_TEAM: team, DATA_IMPORT_INPUT: input } = process.env;
const call = (path, payload) => fetch(base + '/v1/data-import/account-import-process/' + path, {
  method: 'POST',
  headers: { Authorization: 'Token ' + token, 'Content-Type': 'application/json' },
  body: JSON.stringify(payload),
});
for (const line of readFileSync(input, 'utf8').trim().split('\\n')) {
  const { account } = JSON.parse(line);
  const { external_account_number, import_supplier: import_supplier_code } = account;
  const process_ = { external_account_number, import_supplier_code, operations_team_name: team };
  ${body}
}
`,
  );
  return at(name);
}

const CALLS = `await call('create-or-update/', account); await call('process/', process_);`;
const careless = script('careless.mjs', CALLS);

describe('what the command prints', () => {
  test('a finding has the disturbance, the requests, the starts, the remedy and the command that repeats it', async () => {
    const only = 'status-500:accounts.process:2';
    const words = ['--input', accounts, '--', process.execPath, careless];
    const { code, out, err } = await run('certify', '--only', only, ...words);
    expect(code).toBe(5);
    const shown = out.replaceAll(/ {2}\d+\.\d{3} {2}/g, '  <time>  ').replaceAll(/<time> {2,}/g, '<time>  ');
    expect(shown).toContain(`FAILED ${only}
  accounts.process was answered with 500, without effect.
  nothing-lost: The service lacks account A-2. The script was started once, the last time it ended with code 0.
  nothing-silent: The script ended with code 0, and the service lacks account A-2.
  requests, with seconds since the start:
`);
    expect(shown).toContain('accounts.process  account A-1: 201, staged → imported\n');
    expect(shown).toMatch(/ {2}> +<time> {2}accounts\.process {2}account A-2: 500\n/);
    expect(shown).toContain('  start 1: exit code 0\n  remedy: A 500 is no success: ');
    expect(shown).toContain(`certify --only ${only} --input ${accounts} -- ${process.execPath} ${careless}\n`);
    expect(shown).toContain('2 executions, 1 with a finding: not passed\n');
    expect(err).toBe(`1  undisturbed  passed\n2  ${only}  nothing-lost, nothing-silent\n`);
  });

  test('the command after repeat can be typed, also that of the execution without a disturbance', async () => {
    const idle = script('idle.mjs', `if (external_account_number === 'A-2') continue;\n${CALLS}`);
    const typed = ['certify', '--input', accounts, '--', process.execPath, idle];
    const first = await run(...typed);
    const [, repeat = ''] = / {2}repeat: .*?(certify .*)\n/.exec(first.out) ?? [];
    expect(repeat).toBe(`certify --only undisturbed --input ${accounts} -- ${process.execPath} ${idle}`);
    const again = await run(...repeat.split(' '));
    expect([again.code, again.err]).toEqual([5, '1  undisturbed  nothing-lost, nothing-silent\n']);
    const corrected = await run(...repeat.replace(idle, careless).split(' '));
    expect([corrected.code, corrected.err]).toEqual([0, '1  undisturbed  passed\n']);
    expect(corrected.out).toContain('\n1 execution, 0 with a finding, nothing was disturbed: passed\n');
  });

  test('--json prints the result as one line, and --report writes it as JUnit XML and as a page', async () => {
    const only = ['--only', 'status-500:accounts.process:2', '--only', 'limit-without-time:accounts.process:9'];
    const reports = ['--report', at('certify.xml'), '--report', at('certify.html')];
    const words = ['--json', ...reports, '--input', accounts, '--', process.execPath, careless];
    const { code, out } = await run('certify', ...only, ...words);
    expect(code).toBe(5);
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({
      isPassed: false,
      seed: 1,
      notTried: [],
      executions: [
        { id: 'undisturbed', hasHappened: true, broken: [] },
        { id: 'status-500:accounts.process:2', broken: [{ rule: 'nothing-lost' }, { rule: 'nothing-silent' }] },
        { id: 'limit-without-time:accounts.process:9', hasHappened: false, broken: [] },
      ],
    });
    const xml = readFileSync(at('certify.xml'), 'utf8');
    expect(xml).toContain('<testsuite name="certify" tests="3" failures="1" errors="0" skipped="1">');
    expect(xml).toContain('<failure message="nothing-lost: The service lacks account A-2. ');
    expect(xml).toContain('<skipped message="The disturbance did not happen."/>');
    expect(xml).toContain('accounts.process  account A-1: 201, staged → imported');
    expect(xml).not.toContain('> <');
    const page = readFileSync(at('certify.html'), 'utf8');
    expect(page).toContain(`<p class="eyebrow">certify: ${process.execPath} ${careless}</p>`);
    expect(page).toContain('<h1>Not passed: 1 finding in 3 executions</h1>');
    expect(page).toContain(
      `certify --only status-500:accounts.process:2 --input ${accounts} -- ${process.execPath} ${careless}</code>`,
    );
  });

  test('a script that is killed at a request is started again', async () => {
    const only = ['--only', 'killed-after:accounts.process:1'];
    const words = ['--json', '--input', accounts, '--', process.execPath, careless];
    const { code, out } = await run('certify', ...only, ...words);
    const [, killed] = JSON.parse(out).executions;
    expect(killed).toMatchObject({ hasHappened: true, starts: [{ exitCode: null }, { exitCode: 0 }], broken: [] });
    expect(code).toBe(0);
  });
});

describe('what is no script', () => {
  test.each([
    [
      ['/no/such/program'],
      /^data-import-sdk: \/no\/such\/program cannot be started \(.*ENOENT\)\. Give the command as you type it, after --\.\n$/,
    ],
    [
      [process.execPath, '-e', '0'],
      /^data-import-sdk: The script sent nothing to the sandbox; it must use the address in baseUrl \(DATA_IMPORT_BASE_URL\)\. It ended with code 0\n$/,
    ],
  ])('%j ends with code 2 and one sentence', async (words, message) => {
    const { code, err } = await run('certify', '--', ...words);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  test('neither is an input that has no records, nor a disturbance that does not exist', async () => {
    const noRecords = inputFile('no-records.jsonl', { external_account_number: 'A-1' });
    const messages = await Promise.all(
      [
        ['--input', noRecords],
        ['--input', at('missing.jsonl')],
        ['--only', 'explosion'],
        ['--only', 'answer-lost:accounts.process:0'],
        ['--report', at('no/such/folder.xml')],
        ['--report', at('certify.pdf')],
      ].map(async (flags) => {
        const input = flags.includes('--input') ? [] : ['--input', accounts];
        const { code, err } = await run('certify', ...flags, ...input, '--', process.execPath, careless);
        // Before the first execution.
        if (flags.includes('--report')) expect(err.split('\n')).toHaveLength(2);
        return [code, err.split('\n').findLast((text) => text.startsWith('data-import-sdk'))];
      }),
    );
    expect(messages).toEqual([
      [
        2,
        `data-import-sdk: --input: ${noRecords}, line 1 has no record; expected an object with account, business or populate.`,
      ],
      [
        2,
        `data-import-sdk: --input: ${at('missing.jsonl')} cannot be read (there is no such file); expected records as JSON Lines.`,
      ],
      [
        2,
        expect.stringMatching(
          /^data-import-sdk: no disturbance is called explosion\. There are: undisturbed, status-500, /,
        ),
      ],
      [2, 'data-import-sdk: no disturbance has the id answer-lost:accounts.process:0. Use one that a result names.'],
      [2, `data-import-sdk: --report: ${at('no/such/folder.xml')} cannot be written (ENOENT). Give another path.`],
      [2, `data-import-sdk: --report: ${at('certify.pdf')} must end with .html or .xml.`],
    ]);
  });
});
