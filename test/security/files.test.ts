/** Files that are written: only for this user, never through a link of another user, and failures quote no content. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { writeWhole } from '../../src/migration/shared/write-atomically.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { account, copiesOf, openFolder, openService, run } from '../cli/typed.js';
import { newFolder } from '../helpers/folder.js';

async function emptyFolder() {
  const folder = newFolder('files-');
  return (name: string) => join(folder, name);
}

const commands = openFolder();

// Windows has no such permissions; only the user has access to the user's folders.
describe.skipIf(process.platform === 'win32')('permissions', () => {
  it('only the owner may enter the folder and read the files of a run and its retry', async () => {
    await openService();
    const path = commands.inputFile(
      'input.jsonl',
      account('A-1'),
      account('A-2', { customers: [{ landline: 'Brumelle' }] }),
    );
    const folder = commands.at('run');
    expect((await run('run', path, '--run', folder, '--json')).code).toBe(3);
    await run('retry', join(folder, 'rejected.jsonl'), '--run', folder, '--json');
    await run('verify', '--run', folder);
    const modes = await Promise.all(
      (await readdir(folder)).map(async (name) => [name, (await stat(join(folder, name))).mode & 0o077]),
    );
    expect(modes.map(([name]) => name)).toEqual(
      expect.arrayContaining(['ledger.sqlite', 'rejected.jsonl', 'report.html', 'run.json', 'verification.json']),
    );
    expect(modes.filter(([name, others]) => others !== 0 && name !== '.')).toEqual([]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });
});

describe('personal data', () => {
  const PERSON = { given_name: 'Ottoline', family_name: 'Brumelle', email: 'ottoline@example.com' };

  it('are in the files of lines to be corrected and in the ledger, and in no other file of a run', async () => {
    await openService();
    const personal = (number: string, landline: string) =>
      account(number, {
        customers: [{ ...PERSON, landline }],
        billing_address1: '7 Brumelle Street',
      });
    const wrong = { account: { ...personal('A-3', '').account, brumelle_field: 'Brumelle' } };
    const path = commands.inputFile('people.jsonl', personal('A-1', '0123456789'), personal('A-2', 'Brumelle'), wrong);
    const folder = commands.at('people');
    const { code, out, err } = await run('run', path, '--run', folder, '--validate', '--dry-run', 'all', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ created: 1, rejected: 2 });
    expect(out + err).not.toMatch(/Ottoline|Brumelle/);
    const holding = [];
    for (const name of await readdir(folder)) {
      if (/Ottoline|Brumelle/.test(await readFile(join(folder, name), 'latin1'))) holding.push(name);
    }
    expect(holding).toEqual(['ledger.sqlite', 'rejected.jsonl']);
  });
});

describe('a link of another user at the path of a temporary file', () => {
  it('is not followed by a file of a run', async () => {
    const at = await emptyFolder();
    await writeFile(at('of-another'), 'untouched');
    await symlink(at('of-another'), at('run.json.part'));
    await writeWhole([at('run.json')], ([write]) => write('{}'));
    expect(await readFile(at('of-another'), 'utf8')).toBe('untouched');
    expect(await readFile(at('run.json'), 'utf8')).toBe('{}');
  });

  it('is not followed by the state of a sandbox', async () => {
    const at = await emptyFolder();
    await writeFile(at('of-another'), 'untouched');
    await symlink(at('of-another'), at('state.json.tmp'));
    const server = await createSandbox().listen({ file: at('state.json') });
    await server.close();
    expect(await readFile(at('of-another'), 'utf8')).toBe('untouched');
    expect(await readFile(at('state.json'), 'utf8')).toContain('"format"');
  });
});

// Windows has neither named pipes in folders, nor links for every user.
describe.skipIf(process.platform === 'win32')('a link or pipe in a run folder in place of a file', () => {
  const NAMES = ['audit.log', 'run.json', 'ledger.sqlite', 'rejected.jsonl', 'lines.part', '.gitignore'];

  const path = commands.at('one.jsonl');
  const copyRun = copiesOf(async (folder) => {
    commands.inputFile('one.jsonl', account('A-1'));
    expect((await run('run', path, '--run', folder, '--json')).code).toBe(0);
  });

  it.each(NAMES)('a pipe called %s: no command waits for it', async (name) => {
    const folder = commands.at(`pipe-${name}`);
    copyRun(folder);
    await rm(join(folder, name), { force: true });
    execFileSync('mkfifo', [join(folder, name)]);
    await run('status', '--run', folder);
    const again = await run('run', path, '--run', folder, '--json');
    // What is empty is taken for a ledger that was lost.
    if (name === 'ledger.sqlite') expect(again.code).toBe(2);
    else expect(again).toMatchObject({ code: 2, err: expect.stringContaining(`${name} is a link, a pipe`) });
  });

  it('a pipe called sandbox.jsonl, the state of a rehearsal: no command waits for it', async () => {
    const path = commands.inputFile('rehearsed.jsonl', account('A-1'));
    const folder = commands.at('rehearsal');
    expect((await run('run', path, '--sandbox', '--run', folder)).code).toBe(0);
    await rm(join(folder, 'sandbox.jsonl'));
    execFileSync('mkfifo', [join(folder, 'sandbox.jsonl')]);
    for (const command of [['run', path], ['verify']]) {
      expect(await run(...command, '--sandbox', '--run', folder)).toMatchObject({
        code: 2,
        err: expect.stringContaining('sandbox.jsonl is a pipe or a device; expected a file. Remove it.'),
      });
    }
  });

  it.each(NAMES)('a link called %s is not followed', async (name) => {
    const folder = commands.at(`link-${name}`);
    copyRun(folder);
    const elsewhere = commands.at(`elsewhere-${name}`);
    await writeFile(elsewhere, 'untouched');
    await rm(join(folder, name), { force: true });
    await symlink(elsewhere, join(folder, name));
    const again = await run('run', path, '--run', folder, '--json');
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining(`${name} is a link, a pipe`) });
    expect(await readFile(elsewhere, 'utf8')).toBe('untouched');
  });
});

describe('a file that cannot be understood', () => {
  it('a truncated state file: the error does not quote its content', async () => {
    const at = await emptyFolder();
    await writeFile(at('state.json'), '{"format": Brumelle');
    const error: unknown = await createSandbox()
      .listen({ file: at('state.json') })
      .catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 5 })).toContain('is damaged: line 1 cannot be read.');
    expect(inspect(error, { depth: 5 })).not.toContain('Brumelle');
  });

  it('a profile that was cut off: the command quotes no part of it', async () => {
    const at = await emptyFolder();
    await writeFile(at('profile.json'), '{"required": Brumelle');
    const path = commands.inputFile('other.jsonl', account('A-1'));
    const { code, err } = await run('check', path, '--profile', at('profile.json'));
    expect([code, err]).toEqual([
      2,
      `data-import-sdk: --profile: ${at('profile.json')} is not valid JSON; expected a file with a profile as JSON.\n`,
    ]);
  });
});
