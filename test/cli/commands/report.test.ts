/** `data-import-sdk report` and what `verify` adds: the report again, from the ledger and the folder. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { account, copiesOf, openFolder, openService, run, valuesIn } from '../typed.js';

const { at, inputFile } = openFolder();
const read = (name: string) => readFileSync(at(name), 'utf8');
const json = (name: string) => JSON.parse(read(name));

const MIXED = [
  account('A-1'),
  account('A-2', { customers: [{ landline: 'x' }] }),
  account('A-3'),
  account('A-3'),
  { statement: 1 },
];

const MIXED_SUMMARY = '2 created + 0 already imported + 2 rejected + 1 skipped + 0 unknown = 5\n';

async function runMixed(name: string) {
  const sandbox = await openService();
  const result = await run('run', inputFile('mixed.jsonl', ...MIXED), '--run', at(name));
  return { sandbox, result };
}

const copyMixed = copiesOf((folder) => run('run', inputFile('mixed.jsonl', ...MIXED), '--run', folder));

test('with --show-personal-data rejected.csv and report.html get the values, without the input', async () => {
  await runMixed('values');
  rmSync(at('mixed.jsonl'));
  expect(read('values/rejected.csv')).not.toContain(';x;');
  expect((await run('report', '--run', at('values'), '--show-personal-data')).code).toBe(0);
  expect(read('values/rejected.csv')).toMatch(/;invalid_phone_number;.*;x;;x[0-9a-f]{16}\r\n/);
  expect(read('values/report.html')).toContain('<span class="mono">mixed.jsonl:2: x</span>');
  expect(JSON.parse(read('values/rejected.jsonl').split('\n')[0] ?? '')).toMatchObject({ number: 'A-2' });
});

test('prints the summary of the run again, and writes lost files again', async () => {
  const { sandbox, result } = await runMixed('again');
  const files = () => ['report.html', 'ok.csv', 'rejected.jsonl', 'skipped.jsonl'].map((name) => read(`again/${name}`));
  const before = files();
  for (const name of ['report.html', 'report.json', 'ok.csv', 'unknown.jsonl']) rmSync(at(`again/${name}`));
  const requests = sandbox.requests().length;
  const { code, out } = await run('report', '--run', at('again'));
  expect(code).toBe(0);
  expect(out).toBe(result.out);
  expect(out).toContain(MIXED_SUMMARY);
  expect(files()).toEqual(before);
  expect(sandbox.requests()).toHaveLength(requests);
  expect(JSON.parse((await run('report', '--run', at('again'), '--json')).out)).toMatchObject({
    state: 'finished',
    created: 2,
    rejected: 2,
    skipped: 1,
    input: 5,
    folder: at('again'),
  });
});

test('a report of a run to which nothing was added says the same again, and a file that was edited is copied and written again', async () => {
  await openService();
  const path = inputFile(
    'equal.jsonl',
    account('0123'),
    account('123'),
    account('A-2', { customers: [{ landline: 'x' }] }),
  );
  const { out } = await run('run', path, '--run', at('equal'));
  const [report, ok] = [json('equal/report.json'), read('equal/ok.csv')];
  expect(report.summary.warnings).toMatchObject([{ count: 1, samples: ['equal.jsonl:2'] }]);
  for (let time = 0; time < 2; time++) {
    expect((await run('report', '--run', at('equal'))).out).toBe(out);
    expect(json('equal/report.json')).toEqual(report);
  }
  writeFileSync(at('equal/report.json'), JSON.stringify({ ...report, summary: { ...report.summary, errors: [] } }));
  expect((await run('report', '--run', at('equal'))).out).toBe(out);
  writeFileSync(at('equal/ok.csv'), `${ok}by hand`);
  expect((await run('report', '--run', at('equal'))).out).toBe(out);
  expect([read('equal/ok.csv'), read('equal/edited-1-ok.csv')]).toEqual([ok, `${ok}by hand`]);
  expect(json('equal/report.json')).toEqual(report);
});

test('a line without a record is listed with its reason, without its content', async () => {
  await runMixed('why');
  const detail = 'Expected an object with `business`, `account` or `populate`; found none of them.';
  expect(valuesIn(at('why/rejected.jsonl'))).toMatchObject([
    { line: 2, errors: [{ step: 'check', code: 'invalid_phone_number' }] },
    { line: 5, errors: [{ step: 'read', code: 'invalid_type', attr: '', detail }] },
  ]);
  expect((await run('report', '--run', at('why'))).out).toContain(`Example (mixed.jsonl:5): ${detail}\n`);
  expect(read('why/report.html')).toContain(
    'The first one: Expected an object with `business`, `account` or `populate`; found none of them.',
  );
});

test('a killed run is shown as interrupted, with all that it did', async () => {
  await runMixed('killed');
  // As a process leaves it that was killed in its second session.
  writeFileSync(at('killed/run.json'), JSON.stringify({ ...json('killed/run.json'), state: 'running', endedAt: null }));
  const { code, out } = await run('report', '--run', at('killed'));
  expect(code).toBe(0);
  expect(out).toContain(MIXED_SUMMARY);
  expect(out).toMatch(/\nNext: data-import-sdk run .*mixed\.jsonl --run .*killed\n$/);
  expect(read('killed/report.html')).toContain('<h1>Aborted: 2 records created, 2 records to correct</h1>');
  expect(json('killed/report.json')).toMatchObject({ run: { state: 'brokenOff', endedAt: null } });
});

test('the report covers all sessions of a run', async () => {
  await openService();
  const path = inputFile('two.jsonl', account('A-1'), account('A-2'));
  await run('run', path, '--run', at('sessions'), '--canary', '1');
  await run('run', path, '--run', at('sessions'));
  const { run: facts, sessions, audit } = json('sessions/report.json');
  expect(sessions).toHaveLength(2);
  expect(audit.map(({ what }: { what: string }) => what)).toEqual([
    'began',
    'finished; 1 record ended, 3 requests sent',
    'resumed',
    'finished; 1 record ended, 2 requests sent',
  ]);
  expect(Date.parse(facts.startedAt)).toBeGreaterThan(Date.parse(facts.beganAt));
});

test('verify fills its part of the report, and a later run keeps it', async () => {
  const { sandbox } = await runMixed('verified');
  const snapshot = sandbox.snapshot();
  const [supplier] = snapshot.state.suppliers;
  if (supplier === undefined) throw new Error('no supplier');
  supplier.accounts = supplier.accounts.filter(({ external_account_number }) => external_account_number !== 'A-1');
  sandbox.restore(snapshot);
  expect((await run('verify', '--run', at('verified'))).code).toBe(5);
  const verification = {
    compared: 3,
    differences: [
      {
        what: 'Created in the ledger, and not known to the service',
        count: 1,
        samples: ['…1'],
        remedy: 'Ask the operator whether they were removed. If they were, run them in a new folder.',
      },
    ],
  };
  expect(json('verified/report.json')).toMatchObject({ verification });
  expect(read('verified/report.html')).toContain('Created in the ledger, and not known to the service');
  await run('run', at('mixed.jsonl'), '--run', at('verified'));
  expect(json('verified/report.json')).toMatchObject({ verification });
});

test('a damaged run.json ends in one line and code 2', async () => {
  copyMixed(at('spoilt'));
  writeFileSync(at('spoilt/run.json'), '{"state":"finished"}');
  const message = `data-import-sdk: ${at('spoilt/run.json')} is damaged. Restore it, or delete it, and run again.\n`;
  expect(await run('report', '--run', at('spoilt'))).toEqual({ code: 2, out: '', err: message });
  rmSync(at('spoilt/run.json'));
  // Without it, what the ledger has.
  const { code, out } = await run('report', '--run', at('spoilt'));
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(
      /^Target: .*\n(?:.*\n)+.*\/run\.json is missing: lines without a record are in no number, .*\n$/,
    ),
  ]);
  expect(out).not.toContain('report.html');
});

test('damaged plot data are replaced, and the run continues', async () => {
  copyMixed(at('plots'));
  writeFileSync(at('plots/samples.json'), '[[{"at":"yesterday"}]]');
  expect((await run('report', '--run', at('plots'))).code).toBe(0);
  expect(json('plots/report.json')).toMatchObject({ sessions: [] });
});

test('a damaged ledger ends in one line and code 2', async () => {
  copyMixed(at('damaged'));
  writeFileSync(at('damaged/ledger.sqlite'), 'no database at all, and long enough to be looked at as one'.repeat(100));
  expect(await run('report', '--run', at('damaged'))).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^data-import-sdk: ledger: cannot open .*ledger\.sqlite .*\n$/),
  });
});

const OF_A_RUN: [string, string[]][] = [
  ['run', ['mixed.jsonl', '--team', 'SANDBOX_TEAM']],
  ['report', []],
  ['status', []],
  ['verify', []],
];

describe.each(['gone', 'empty'])('a ledger that is %s', (how) => {
  test.each([...OF_A_RUN, ['resolve', []] satisfies [string, string[]]])(
    'ends %s in one line, code 2, and nothing is sent',
    async (command, args) => {
      const name = `${how}-${command}`;
      const sandbox = copyMixed(at(name));
      const sent = sandbox.requests().length;
      const path = at(`${name}/ledger.sqlite`);
      if (how === 'gone') rmSync(path);
      else writeFileSync(path, '');
      const inputFile = args.map((word) => (word === 'mixed.jsonl' ? at(word) : word));
      const { code, err } = await run(command, ...inputFile, '--run', at(name));
      expect(err).toBe(
        `data-import-sdk: ledger: ${path} is ${how}, and the file run.json next to it shows that a run has begun. Restore it, or a copy of it, then compare with data-import-sdk verify. Without it, everything is sent again: if you want that, give another folder.\n`,
      );
      expect(code).toBe(2);
      expect(sandbox.requests()).toHaveLength(sent);
    },
  );
});

test.each(OF_A_RUN)(
  'a ledger that is damaged inside ends %s in one line that names it, and code 2',
  async (command, args) => {
    const name = `inside-${command}`;
    copyMixed(at(name));
    const path = at(`${name}/ledger.sqlite`);
    const bytes = readFileSync(path);
    // Everything but the first page, which says that it is a ledger.
    writeFileSync(path, bytes.fill(0x5a, 4096));
    const inputFile = args.map((word) => (word === 'mixed.jsonl' ? at(word) : word));
    const { code, err } = await run(command, ...inputFile, '--run', at(name));
    expect(err).toMatch(
      /^data-import-sdk: ledger: cannot (read|open) .*ledger\.sqlite \(.*\)\. The file is damaged: restore it from a copy, then compare with data-import-sdk verify\. Do not delete it: a run without its ledger starts from the beginning\.\n$/,
    );
    expect(code).toBe(2);
  },
);
