/** What the command line shows and keeps, and whose word it takes. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { optionsOfAll } from '../../src/cli/commands.js';
import { runProgram } from '../../src/cli/program.js';
import { account, openFolder, openService, run } from '../cli/typed.js';
import { newFolder } from '../helpers/folder.js';

const { at, inputFile } = openFolder();

describe('a config file that no option names', () => {
  const folder = newFolder('cli-', afterAll);
  const path = join(folder, 'data-import.config.json');

  /** As if the command were typed in that folder. */
  function inFolder(uid: number) {
    const before = process.cwd();
    process.chdir(folder);
    onTestFinished(() => process.chdir(before));
    vi.spyOn(process, 'getuid').mockReturnValue(uid);
  }

  it('of another user is refused: it could send the token elsewhere', async () => {
    writeFileSync(path, JSON.stringify({ baseUrl: 'https://evil.example.com' }));
    inFolder((process.getuid?.() ?? 0) + 1);
    expect(await run('call', 'imports.all', 'ACME')).toEqual({
      code: 2,
      out: '',
      err: 'data-import-sdk: data-import.config.json belongs to another user, and decides where the token is sent. To use it: --config data-import.config.json\n',
    });
  });

  it('of another user is accepted if it is given explicitly', async () => {
    await openService();
    writeFileSync(path, JSON.stringify({ maxRetries: 0 }));
    inFolder((process.getuid?.() ?? 0) + 1);
    expect(await run('call', 'imports.all', 'SANDBOX_SUPPLIER', '--config', path)).toMatchObject({ code: 0 });
  });

  it.each([
    ['tokenFile', 'baseUrl', '--token-file <path>', {}],
    ['graphqlDocument', 'graphqlUrl', '--graphql-document <path>', { graphqlSelect: 'a.b' }],
  ])('cannot set %s together with %s: any file of the user would be sent there', async (file, address, flag, more) => {
    writeFileSync(join(folder, 'private'), 'a-private-file');
    writeFileSync(path, JSON.stringify({ [address]: 'https://evil.example.com', [file]: './private', ...more }));
    inFolder(process.getuid?.() ?? 0);
    expect(await run('call', 'imports.all', 'ACME')).toEqual({
      code: 2,
      out: '',
      err: `data-import-sdk: data-import.config.json: ${file}: a config file that no flag names cannot set this together with ${address}: something of yours could be sent there unasked. Give ${flag}, or name the config file: --config data-import.config.json\n`,
    });
  });

  it.each([
    ['body', { body: './private' }, ['call', 'notes.create'], '--body <path>'],
    ['yes', { yes: true }, ['run', 'input.jsonl'], '--yes'],
  ])('cannot set %s together with an address', async (name, setting, command, flag) => {
    writeFileSync(join(folder, 'private'), '{}');
    writeFileSync(path, JSON.stringify({ baseUrl: 'https://evil.example.com', ...setting }));
    inFolder(process.getuid?.() ?? 0);
    expect(await run(...command)).toEqual({
      code: 2,
      out: '',
      err: expect.stringContaining(`data-import.config.json: ${name}: `),
    });
    expect((await run(...command)).err).toContain(`Give ${flag}, or name the config file`);
  });

  it.each([
    ['an absolute path', () => join(folder, '../private.csv')],
    ['a path above the folder', () => '../private.csv'],
    ['a link to a file outside', () => 'link.csv'],
  ])('cannot set a source with %s together with an address', async (_, source) => {
    const outside = join(folder, '../private.csv');
    writeFileSync(outside, 'id\n1\n');
    onTestFinished(() => rmSync(outside));
    rmSync(join(folder, 'link.csv'), { force: true });
    symlinkSync(outside, join(folder, 'link.csv'));
    writeFileSync(join(folder, 'q.sql'), 'SELECT 1');
    writeFileSync(path, JSON.stringify({ baseUrl: 'https://evil.example.com', sources: { s: { file: source() } } }));
    inFolder(process.getuid?.() ?? 0);
    expect(await run('run', 'q.sql', '--team', 'EAST')).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /data-import\.config\.json: sources\.s: a config file that no flag names cannot .* Name the config file: --config data-import\.config\.json\n$/,
      ),
    });
  });

  it.skipIf(process.platform === 'win32')('that is a pipe: no command waits for it', async () => {
    rmSync(path, { force: true });
    execFileSync('mkfifo', [path]);
    onTestFinished(() => rmSync(path));
    inFolder(process.getuid?.() ?? 0);
    expect(await run('call', 'imports.all', 'ACME')).toEqual({
      code: 2,
      out: '',
      err: 'data-import-sdk: data-import.config.json is no file, but a folder, a pipe or a device. Remove it.\n',
    });
  });

  it('may name the file of the token if the address is given in another way', async () => {
    const { token } = await openService();
    vi.stubEnv('DATA_IMPORT_TOKEN', '');
    writeFileSync(join(folder, 'private'), token);
    writeFileSync(path, JSON.stringify({ tokenFile: './private' }));
    inFolder(process.getuid?.() ?? 0);
    expect(await run('call', 'imports.all', 'SANDBOX_SUPPLIER')).toMatchObject({ code: 0, err: '' });
  });

  it('does not replace the token of the environment', async () => {
    await openService();
    writeFileSync(join(folder, 'private'), 'another-token');
    writeFileSync(path, JSON.stringify({ tokenFile: './private' }));
    inFolder(process.getuid?.() ?? 0);
    expect(await run('call', 'imports.all', 'SANDBOX_SUPPLIER')).toMatchObject({ code: 0, err: '' });
  });

  it('of this user is taken', async () => {
    await openService();
    writeFileSync(path, JSON.stringify({ nobodyKnows: 1 }));
    inFolder(process.getuid?.() ?? 0);
    expect(await run('call', 'imports.all', 'SANDBOX_SUPPLIER')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no setting nobodyKnows'),
    });
  });
});

describe('a mapping module in a config file', () => {
  const folder = newFolder('cli-', afterAll);

  /** A folder with a config file that names a module, as a cloned repository may have it. */
  function openClone() {
    writeFileSync(join(folder, 'accounts.csv'), 'Number\nA-1\n');
    writeFileSync(join(folder, 'data-import.config.json'), JSON.stringify({ map: './map.mjs' }));
    writeFileSync(
      join(folder, 'map.mjs'),
      `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(join(folder, 'it-ran'))}, '');
export default (row) => ({ account: { import_supplier: 'ACME', external_account_number: row.Number } });`,
    );
    const before = process.cwd();
    process.chdir(folder);
    onTestFinished(() => process.chdir(before));
  }

  it.each([
    ['check', 'accounts.csv'],
    ['plan', 'accounts.csv'],
    ['run', 'accounts.csv', '--sandbox'],
    ['retry', 'accounts.csv', '--sandbox'],
    ['doctor', 'accounts.csv', '--sandbox'],
  ])('that no option names is not run: %s ends with code 2', async (...words) => {
    openClone();
    expect(await run(...words)).toEqual({
      code: 2,
      out: '',
      err: 'data-import-sdk: data-import.config.json: map: the code that it names is not run, because no flag names this config file. Give --map <path>, or name the config file: --config data-import.config.json\n',
    });
    expect(existsSync(join(folder, 'it-ran'))).toBe(false);
  });

  it('is executed if the config file is given explicitly', async () => {
    openClone();
    const { code, err } = await run('check', 'accounts.csv', '--config', 'data-import.config.json');
    expect([code, err]).toEqual([0, '']);
    expect(existsSync(join(folder, 'it-ran'))).toBe(true);
  });

  it.each([
    ['a flag', ['--map', './map.mjs'], undefined],
    ['an environment variable', [], './map.mjs'],
  ])('that %s names as well is that of the flag or the variable', async (_, flags, variable) => {
    openClone();
    if (variable !== undefined) vi.stubEnv('DATA_IMPORT_MAP', variable);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await run('check', 'accounts.csv', ...flags)).toMatchObject({ code: 0, err: '' });
  });

  it('does not keep a command from its work that has no mapping', async () => {
    openClone();
    expect(await run('status', '--run', 'nowhere')).toMatchObject({
      code: 2,
      err: expect.not.stringContaining('map'),
    });
  });
});

describe('a config file with names of prototypes', () => {
  it.each(['__proto__', 'constructor', 'toString'])('%s is no setting, and changes no prototype', async (name) => {
    const path = at('config.json');
    writeFileSync(path, `{"${name}": {"polluted": true}}`);
    const { code, err } = await run('call', 'imports.all', 'ACME', '--config', path);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`config.json: there is no setting ${name}; expected one of accept, account, `),
    ]);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('a password on the command line', () => {
  it('is in no flag: tokens and keys come from the environment or from a file', async () => {
    const secrets = [...new Set((await optionsOfAll()).map((option) => option.attributeName()))].filter((name) =>
      /token|key|secret|password/i.test(name),
    );
    // clientKey and tokenFile are paths of files.
    expect(secrets.sort()).toEqual(['clientKey', 'tokenFile', 'tokenScheme']);
  });

  it('is not in the command that continues a run, nor in anything that the run leaves', async () => {
    await openService();
    const path = inputFile('input.jsonl', account('A-1'));
    const secret = 'hunter2-invented';
    const ended = await run(
      ...['run', path, '--run', at('run'), '--canary', '1', '--json'],
      ...['--graphql-url', `https://ada:${secret}@api.example.com/graphql/`],
    );
    expect(ended.code).toBe(7);
    expect(JSON.parse(ended.out).continueWith).toContain('https://ada:***@api.example.com/graphql/');
    expect(ended.out + ended.err).not.toContain(secret);
    for (const name of ['run.json', 'report.json', 'report.html', 'audit.log']) {
      expect(readFileSync(at(`run/${name}`), 'utf8'), name).not.toContain(secret);
    }
  });
});

describe('control characters in the output, to a terminal or to a program', () => {
  const ESCAPES = '\u001b]0;title\u0007\u001b[2J\u009b1A\r\u202Eevil\u2066x\u200F\u061C';

  async function shown(isTTY: boolean, ...more: string[]): Promise<string> {
    const path = inputFile('escapes.jsonl', account('A-1', { [ESCAPES]: 1 }));
    const written: string[] = [];
    const { isTTY: before } = process.stdout;
    process.stdout.isTTY = isTTY;
    onTestFinished(() => {
      process.stdout.isTTY = before;
    });
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
    expect(await runProgram(['check', path, '--show-personal-data', ...more])).toBe(3);
    return written.join('');
  }

  it.each([true, false])('are shown as codes; a terminal: %s', async (isTTY) => {
    const text = await shown(isTTY);
    expect(text).toContain(
      String.raw`account.\u001b]0;title\u0007\u001b[2J\u009b1A\u000d\u202eevil\u2066x\u200f\u061c unknown_field`,
    );
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u);
  });

  it('leave JSON as it is for the program that parses it', async () => {
    const text = await shown(false, '--json');
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ attr: `account.${ESCAPES}` });
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u);
  });
});
