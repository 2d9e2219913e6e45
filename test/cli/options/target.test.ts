/** A run folder belongs to one target: which commands refuse another one, what they say, and how a service may move. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openSqliteLedger } from '../../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { countAsOriginal } from '../../support/change-ledger.js';
import { account, ended, line, openFolder, refusal, refused, run, valueIn } from '../typed.js';

const { at, inputFile } = openFolder();

/** A service on its own port, until the test has ended, or `after` another event. Its token and team are the ones of every sandbox. */
async function openServiceAt(
  options: SandboxOptions = {},
  after: (task: () => Promise<void> | void) => void = onTestFinished,
) {
  const sandbox = createSandbox(options);
  const server = await sandbox.listen();
  after(() => server.close());
  vi.stubEnv('DATA_IMPORT_TOKEN', sandbox.token);
  vi.stubEnv('DATA_IMPORT_TEAM', 'SANDBOX_TEAM');
  after(() => void vi.unstubAllEnvs());
  return { url: server.url, sandbox };
}

const audit = (folder: string) => readFileSync(at(`${folder}/audit.log`), 'utf8');
const report = (folder: string) => valueIn(at(`${folder}/report.json`));

/** Every command that opens a ledger and reaches a service. */
const COMMANDS: readonly [command: string, words: (input: string) => string[]][] = [
  ['run', (input) => ['run', input]],
  ['retry', (input) => ['retry', input]],
  ['verify', () => ['verify']],
  ['resolve', () => ['resolve']],
  ['plan', (input) => ['plan', input, '--probe', '1']],
];

describe('a run folder that belongs to one service', () => {
  const folder = at('of-a-service');
  const there = ['--run', folder];
  let input: string;
  let first: Awaited<ReturnType<typeof openServiceAt>>;
  let second: typeof first;

  beforeAll(async () => {
    [first, second] = [await openServiceAt({}, afterAll), await openServiceAt({}, afterAll)];
    input = inputFile('of-a-service.jsonl', account('A-1'), account('A-2', { customers: [{ landline: 'x' }] }));
    expect(await run('run', input, '--base-url', first.url, ...there)).toMatchObject({ code: 3 });
  });

  test.each(COMMANDS)('%s with another base URL ends with code 2 before any request', async (_, words) => {
    const asked = first.sandbox.requests().length;
    expect(await run(...words(input), '--base-url', second.url, ...there)).toEqual(
      refusal(
        `target: the run in ${folder} belongs to ${first.url}, and this command is for ${second.url}. Give another folder with --run <folder>, or, if the service has moved, add --retarget ${first.url}.`,
      ),
    );
    expect([first.sandbox.requests().length, second.sandbox.requests()]).toEqual([asked, []]);
  });

  test('the run is unchanged by those: the same command as before continues', async () => {
    expect(await run('run', input, '--base-url', first.url, ...there)).toMatchObject({ code: 3 });
  });

  test.each(COMMANDS)('%s of a rehearsal in it ends with code 2', async (_, words) => {
    expect(await run(...words(input), '--sandbox', ...there)).toEqual(
      refusal(
        `target: the run in ${folder} belongs to ${first.url}, and this command is for the sandbox (a rehearsal). Give another folder with --run <folder>, or leave out --sandbox; --retarget <old url> is only for a service that has moved.`,
      ),
    );
  });

  test.each([['status'], ['report']])('%s --sandbox does not take it for a rehearsal', async (name) => {
    expect(await run(name, ...there)).toMatchObject({ code: 0 });
    expect(await run(name, '--sandbox', ...there)).toEqual(
      refusal(
        `target: the run in ${folder} belongs to ${first.url}, and this command is for the sandbox (a rehearsal). Give another folder with --run <folder>, or leave out --sandbox; --retarget <old url> is only for a service that has moved.`,
      ),
    );
  });

  test('the same service, written otherwise, is the same target', async () => {
    expect(await run('run', input, '--base-url', `${first.url}//`, ...there)).toMatchObject({ code: 3 });
    expect(await run('verify', '--base-url', first.url.replace('http', 'HTTP'), ...there)).toMatchObject({ code: 0 });
  });
});

describe('a run folder that belongs to a rehearsal', () => {
  const folder = at('rehearsed');
  let input: string;

  beforeAll(async () => {
    input = inputFile('rehearsed.jsonl', account('A-1'));
    expect(await run('run', input, '--sandbox', '--run', folder)).toMatchObject({ code: 0 });
  });

  test.each(COMMANDS)('%s with a base URL ends with code 2 before any request', async (_, words) => {
    const service = await openServiceAt();
    expect(await run(...words(input), '--base-url', service.url, '--run', folder)).toEqual(
      refusal(
        `target: the run in ${folder} belongs to the sandbox (a rehearsal), and this command is for ${service.url}. Give another folder with --run <folder>, or --sandbox for that rehearsal; --retarget <old url> is only for a service that has moved.`,
      ),
    );
    expect(service.sandbox.requests()).toEqual([]);
  });

  test('cannot be retargeted', async () => {
    const service = await openServiceAt();
    const args = ['run', input, '--base-url', service.url, '--run', folder];
    expect(await run(...args, '--retarget', service.url)).toMatchObject(
      refused('belongs to the sandbox (a rehearsal)'),
    );
    expect(await run(...args, '--retarget', 'sandbox')).toEqual(
      refusal(
        'target: --retarget expects the former address of the service, such as https://api.example.com; a rehearsal has none.',
      ),
    );
    expect(service.sandbox.requests()).toEqual([]);
  });
});

describe('--retarget', () => {
  let first: Awaited<ReturnType<typeof openServiceAt>>;
  let input: string;

  beforeAll(async () => {
    first = await openServiceAt({}, afterAll);
    input = inputFile('moved.jsonl', account('A-1'));
    expect(await run('run', input, '--base-url', first.url, '--run', at('before'))).toMatchObject({ code: 0 });
    await countAsOriginal(at('before'));
  });

  /** A copy of the run into the first service, which has then moved to a second one with everything that it has. */
  async function moved(name: string) {
    const second = await openServiceAt();
    const folder = at(name);
    cpSync(at('before'), folder, { recursive: true });
    second.sandbox.restore(first.sandbox.snapshot());
    return { second, folder };
  }

  test.each(COMMANDS.filter(([name]) => name !== 'plan' && name !== 'verify'))(
    'lets %s continue with a service that has moved',
    async (name, words) => {
      const { second, folder } = await moved(`moved-${name}`);
      const there = ['--base-url', second.url, '--run', folder];
      // No record was rejected, so retry ignores the lines of the input.
      const code = name === 'retry' ? 3 : 0;
      expect(await run(...words(input), ...there, '--retarget', `${first.url}/`)).toMatchObject({ code });
      expect(audit(`moved-${name}`)).toMatch(
        new RegExp(`^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z operator retarget: from ${first.url} to ${second.url}$`, 'm'),
      );
      // From now on it belongs there; the flag of the command that is given again does no harm, and is noted once.
      expect(await run('run', input, ...there, '--retarget', first.url)).toMatchObject({ code: 0 });
      expect(await run('run', input, ...there)).toMatchObject({ code: 0 });
      expect(audit(`moved-${name}`).match(/retarget/g)).toHaveLength(1);
      expect(await run('run', input, '--base-url', first.url, '--run', folder)).toMatchObject({ code: 2 });
      expect(report(`moved-${name}`).target).toEqual({ name: new URL(second.url).host, url: second.url });
    },
  );

  test('run, retry and resolve into a service that has none of the accounts end with code 2, and send no more than status queries', async () => {
    const [first, second] = [await openServiceAt(), await openServiceAt()];
    const input = inputFile('empty-service.jsonl', account('A-1'), account('A-2'));
    const folder = at('empty-service');
    expect(await run('run', input, '--base-url', first.url, '--run', folder)).toMatchObject({ code: 0 });
    for (const words of [['run', input], ['retry', input], ['resolve']]) {
      expect(await run(...words, '--base-url', second.url, '--run', folder, '--retarget', first.url)).toEqual(
        refusal(
          `target: ${second.url} knows none of 2 accounts that the run in ${folder} has at ${first.url}. No record was sent. Check --base-url: --retarget is only for a service that has moved with its accounts. For another service, give another folder with --run <folder>.`,
        ),
      );
      expect(second.sandbox.requests().filter(({ change }) => change !== null)).toEqual([]);
      // The run still belongs to its service.
      expect(audit('empty-service')).not.toContain('retarget');
    }
    expect(await run('run', input, '--base-url', first.url, '--run', folder)).toMatchObject({ code: 0 });
  });

  test('is not printed in the command that continues, and --yes neither', async () => {
    const { second, folder } = await moved('printed');
    const input = inputFile('printed-more.jsonl', account('A-1'), account('A-2', { customers: [{ landline: 'x' }] }));
    const args = ['run', input, '--base-url', second.url, '--run', folder];
    const { code, out } = await run(...args, '--retarget', first.url, '--yes');
    expect(code).toBe(3);
    expect(out).toContain(`To run again: data-import-sdk ${args.join(' ')}\n`);
    expect(out).not.toMatch(/--retarget|--yes/);
    const { continueWith, runCommand } = valueIn(`${folder}/run.json`);
    expect([continueWith, runCommand]).toEqual([
      `data-import-sdk ${args.join(' ')}`,
      `data-import-sdk ${args.join(' ')}`,
    ]);
  });

  test('lets verify compare with the new address, and changes nothing', async () => {
    const { second, folder } = await moved('moved-verify');
    const args = ['verify', '--base-url', second.url, '--run', folder];
    expect(await run(...args, '--retarget', first.url)).toEqual({
      code: 0,
      out: '= 1 account agrees, 0 differ\n',
      err: '',
    });
    expect(audit('moved-verify')).not.toContain('retarget');
    expect(report('moved-verify').target).toEqual({ name: new URL(first.url).host, url: first.url });
    expect(await run(...args)).toMatchObject({ code: 2 });
    // A mistaken address changes nothing: the run still belongs to its service.
    expect(await run('verify', '--base-url', first.url, '--run', folder)).toMatchObject({ code: 0 });
  });

  test('lets plan count the remaining records, and changes nothing', async () => {
    const { second, folder } = await moved('moved-plan');
    const args = ['plan', input, '--base-url', second.url, '--run', folder];
    expect(await run(...args, '--retarget', first.url)).toMatchObject(ended(0, '1 record done in'));
    expect(audit('moved-plan')).not.toContain('retarget');
    expect(await run(...args)).toMatchObject({ code: 2 });
  });

  test('with another address than the stored one is refused, with the stored address', async () => {
    const { second, folder } = await moved('mistaken');
    const args = ['run', input, '--base-url', second.url, '--run', folder];
    expect(await run(...args, '--retarget', 'https://other.example.com')).toEqual(
      refusal(
        `target: --retarget names https://other.example.com, and the run in ${folder} belongs to ${first.url}. Give --retarget ${first.url}, or another folder with --run <folder>.`,
      ),
    );
    expect(await run(...args, '--retarget', 'yesterday')).toMatchObject(
      refused('--retarget expects the former address of the service'),
    );
    expect(audit('mistaken')).not.toContain('retarget');
  });
});

describe('a ledger of an older version', () => {
  test('takes the first target that a run gives it', async () => {
    const [first, second] = [await openServiceAt(), await openServiceAt()];
    const input = inputFile('older.jsonl', account('A-1'));
    const folder = ['--run', at('older')];
    await run('run', input, '--base-url', first.url, ...folder);
    await withoutTarget('older');
    expect(await run('verify', '--base-url', first.url, ...folder)).toMatchObject({ code: 0 });
    expect(await run('run', input, '--base-url', first.url, ...folder)).toMatchObject({ code: 0 });
    expect(await run('run', input, '--base-url', second.url, ...folder)).toMatchObject({ code: 2 });
  });

  /** As it was before ledgers knew of one: an empty text is no target. */
  async function withoutTarget(name: string): Promise<void> {
    const ledger = await openSqliteLedger(at(`${name}/ledger.sqlite`));
    await ledger.setFact('target', '');
    await ledger.setFact('suppliers', '');
    await ledger.close();
  }
});

describe('the import suppliers of a run', () => {
  const of = (supplier: string, number: string) => account(number, { import_supplier: supplier });
  const suppliers = [{ code: 'NORTH' }, { code: 'SOUTH' }, { code: 'WEST' }];

  test('an input that shares none with the ledger is refused before any request', async () => {
    const { url, sandbox } = await openServiceAt({ suppliers });
    const folder = ['--run', at('strangers'), '--base-url', url];
    expect(await run('run', inputFile('north.jsonl', of('NORTH', 'N-1')), ...folder)).toMatchObject({ code: 0 });
    const asked = sandbox.requests().length;
    const other = inputFile('others.jsonl', of('SOUTH', 'S-1'), of('WEST', 'W-1'));
    const refused = {
      code: 2,
      out: '',
      err: `data-import-sdk: target: the run in ${at('strangers')} has records of import supplier NORTH, and this input has only SOUTH, WEST. Give another folder with --run <folder>, or the input of that run; it may have further suppliers.\n`,
    };
    expect(await run('run', other, ...folder)).toEqual(refused);
    expect(await run('plan', other, ...folder)).toEqual(refused);
    expect(sandbox.requests()).toHaveLength(asked);
  });

  test('an input with one supplier more is normal, and the run has both from then on', async () => {
    const { url } = await openServiceAt({ suppliers });
    const folder = ['--run', at('more'), '--base-url', url];
    const [north, south] = [inputFile('n.jsonl', of('NORTH', 'N-1')), inputFile('s.jsonl', of('SOUTH', 'S-1'))];
    expect(await run('run', north, ...folder)).toMatchObject({ code: 0 });
    expect(await run('run', south, north, ...folder)).toMatchObject(ended(0, '2 created'));
    expect(await run('run', south, ...folder)).toMatchObject({ code: 0 });
  });

  test('a line without a record may be corrected into one of another supplier', async () => {
    const { url } = await openServiceAt({ suppliers });
    const folder = ['--run', at('corrected'), '--base-url', url];
    writeFileSync(at('half.jsonl'), `${line(of('NORTH', 'N-1'))}{"account":\n`);
    expect(await run('run', at('half.jsonl'), ...folder)).toMatchObject({ code: 3 });
    const entry = valueIn(at('corrected/rejected.jsonl'));
    const corrected = inputFile('corrected.jsonl', { ...entry, original: of('SOUTH', 'S-1') });
    expect(await run('retry', corrected, ...folder)).toMatchObject(ended(0, '2 created'));
  });
});

describe('the folder of a rehearsal', () => {
  /** Runs commands in a new working directory, without --run. */
  async function inFolder(name: string, work: () => Promise<void>) {
    mkdirSync(at(name));
    const before = process.cwd();
    process.chdir(at(name));
    try {
      await work();
    } finally {
      process.chdir(before);
    }
  }

  test('is data-import-rehearsal without --run, for every command', { tags: 'long' }, async () => {
    const service = await openServiceAt();
    const input = inputFile('defaults.jsonl', account('A-1'));
    await inFolder('defaults', async () => {
      expect(await run('run', input, '--sandbox')).toMatchObject(
        ended(0, 'Report: data-import-rehearsal/report.html\n'),
      );
      expect(await run('plan', input, '--sandbox')).toMatchObject({
        out: expect.stringContaining('1 record done in data-import-rehearsal;'),
      });
      expect(await run('verify', '--sandbox')).toMatchObject({ code: 0 });
      expect(await run('resolve', '--sandbox')).toMatchObject({ code: 0 });
      expect(await run('status', '--sandbox')).toMatchObject(ended(0, '1 record: 1 created'));
      expect(await run('report', '--sandbox')).toMatchObject(ended(0, 'Report: data-import-rehearsal/report.html\n'));
      expect(await run('retry', input, '--sandbox')).toMatchObject({ code: 3 });
      for (const steering of [['pause'], ['resume'], ['drain'], ['set', 'rps=1']]) {
        expect(await run(...steering, '--sandbox')).toMatchObject(refused('data-import-rehearsal'));
      }
      // The folder of the migration is another one: it has no file of the rehearsal.
      expect(await run('status')).toMatchObject(refused('data-import-run has no run'));
      expect(await run('run', input, '--base-url', service.url)).toMatchObject(
        ended(0, 'Report: data-import-run/report.html\n'),
      );
    });
    expect(service.sandbox.requests().filter(({ change }) => change === 'staged → imported')).toHaveLength(1);
  });

  test('is the one that --run names, or the environment', async () => {
    const input = inputFile('named.jsonl', account('A-1'));
    await inFolder('named', async () => {
      expect(await run('run', input, '--sandbox', '--run', 'mine')).toMatchObject({
        out: expect.stringContaining('Report: mine/'),
      });
      vi.stubEnv('DATA_IMPORT_RUN', 'theirs');
      onTestFinished(() => void vi.unstubAllEnvs());
      expect(await run('run', input, '--sandbox')).toMatchObject({ out: expect.stringContaining('Report: theirs/') });
    });
  });
});

describe('the target is printed at the top', () => {
  test('of a rehearsal', { tags: 'long' }, async () => {
    const input = inputFile('top.jsonl', account('A-1'));
    const { out } = await run('run', input, '--sandbox', '--run', at('top'));
    expect(out.split('\n')[0]).toBe('Target: Rehearsal (sandbox). Nothing was sent to a service.');
    expect(Object.entries(report('top'))[0]).toEqual(['target', { name: 'Rehearsal (sandbox)', url: null }]);
    expect(readFileSync(at('top/report.html'), 'utf8')).toContain(
      '<p class="eyebrow">Migration report: Rehearsal (sandbox)</p>',
    );
    expect((await run('status', '--run', at('top'))).out.split('\n')[0]).toBe('Target: Rehearsal (sandbox)');
    const json = JSON.parse((await run('run', input, '--sandbox', '--run', at('top'), '--json')).out);
    expect(json.target).toBe('sandbox');
    expect(JSON.parse((await run('report', '--run', at('top'), '--json')).out).target).toBe('sandbox');
    expect(JSON.parse((await run('status', '--run', at('top'), '--json')).out).target).toBe('sandbox');
  });

  test('of a service, by its host', async () => {
    const { url } = await openServiceAt();
    const { host } = new URL(url);
    const args = ['run', inputFile('host.jsonl', account('A-1')), '--run', at('host')];
    expect((await run(...args, '--base-url', `${url}/`)).out.split('\n')[0]).toBe(`Target: ${host}`);
    expect(report('host').target).toEqual({ name: host, url });
    expect(readFileSync(at('host/report.html'), 'utf8')).toContain(`<p class="eyebrow">Migration report: ${host}</p>`);
    expect((await run('report', '--run', at('host'))).out.split('\n')[0]).toBe(`Target: ${host}`);
    expect(JSON.parse((await run(...args, '--base-url', url, '--json')).out).target).toBe(url);
  });
});
