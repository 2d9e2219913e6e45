/**
 * npx downloads and runs a package that is missing, unasked if it has no terminal. So every command that this package shows,
 * prints or writes is of the package itself, or of a package that is named.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { allCommands, INERT_CONTEXT } from '../../src/cli/commands.js';
import { account, openFolder, openService, run } from '../cli/typed.js';
import { root } from '../documents/documents.js';

const PACKAGE = 'data-import-sdk';
const names = (await allCommands(INERT_CONTEXT)).map((command) => command.name());

/** What is fetched if it is missing: the word after npx and the like, or what `--package` names. */
const FETCHED =
  /\b(?:npx|bunx|pnpx|(?:npm|pnpm|yarn|bun) (?:exec|dlx|x))((?: +-(?!p\b|-package\b)[\w-]+)*)(?: +(?:-p|--package)[ =]([@\w./-]+))? +(?:-- +)?([@\w./$-]+)/g;

/** A word with the beginning of the package's name before the name of a command: also `data-import run`. */
const NAMED = new RegExp(`((?:[\\w.@-]+/)*data-import[\\w-]*) (?:${names.join('|')})\\b`, 'g');

/** The title of a line in a program's log. It is no command. */
const LOG_TITLE = "'data-import retry'";

/** Returns the commands of a text whose program is neither this package nor `others`. */
function foreignCommandsOf(given: string, others: readonly string[] = []): string[] {
  const text = given.replaceAll(LOG_TITLE, '');
  const fetched = [...text.matchAll(FETCHED)].filter(([, , named, word = '']) => {
    const program = (named ?? word).replace(/(?<=.)@[\w.]+$/, '');
    return program !== PACKAGE && !others.includes(program);
  });
  const named = [...text.matchAll(NAMED)].filter(([, word = '']) => word.split('/').at(-1) !== PACKAGE);
  return [...fetched, ...named].map(([command]) => command);
}

/** Other packages that are started by their names; `node` is the package of other versions of Node.js. */
const OTHERS = ['tsx', 'vitest', 'node', '@changesets/cli'];
/** The reader of an example installs it before: test/package/openapi-client.test.ts. */
const OF_AN_EXAMPLE = ['openapi-typescript'];

const TEXTS = /(?:\.(?:md|ts|mts|mjs|js|json|jsonc|sql|ya?ml|txt|html)|Dockerfile|\/run)$/;

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => TEXTS.test(path));
}

const files = [
  ...['docs', 'examples', 'src', 'schemas', '.github', '.ci', 'bench'].flatMap(filesIn),
  ...readdirSync(root)
    .filter((name) => TEXTS.test(name) && name !== 'package-lock.json')
    .map((name) => join(root, name)),
];

test('the package has one command, which has its name', () => {
  const { name, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(Object.keys(bin)).toEqual([name]);
  expect(name).toBe(PACKAGE);
});

test('each command of a document, a source, an example, a workflow or a script is of the package itself, or of one that is installed under that name', {
  tags: 'long',
}, () => {
  expect(files.length).toBeGreaterThan(500);
  const texts = files.map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  const found = texts.flatMap(({ path, text }) =>
    foreignCommandsOf(text, [...OTHERS, ...OF_AN_EXAMPLE]).map(
      (command) => `${path.slice(root.length + 1)}: ${command}`,
    ),
  );
  expect(found).toEqual([]);
  expect(texts.flatMap(({ text }) => [...text.matchAll(NAMED)]).length).toBeGreaterThan(100);
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(OTHERS.filter((other) => other !== 'node')));
});

test('each script of package.json starts a program that npm ci has installed', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const programs = Object.values(scripts).flatMap((script) =>
    script.split(' && ').map((one) => one.split(' ')[0] ?? ''),
  );
  const missing = programs.filter(
    (program) => !['node', 'npm'].includes(program) && !existsSync(join(root, 'node_modules/.bin', program)),
  );
  expect(missing).toEqual([]);
});

test('the image of the distributed example starts the command of the package that it installs', () => {
  const text = readFileSync(join(root, 'examples/distributed/Dockerfile'), 'utf8');
  expect(text).toContain(`ARG PACKAGE=${PACKAGE}@`);
  expect([...text.matchAll(/^(?:ENTRYPOINT|CMD) (.*)$/gm)].map(([, words]) => words)).toEqual([`["${PACKAGE}"]`]);
});

describe('what the command itself prints and writes', () => {
  test.each(names)('the help of %s', async (name) => {
    const { out } = await run(name, '--help');
    expect(out).toContain(`Usage: ${PACKAGE} ${name}`);
    expect(foreignCommandsOf(out)).toEqual([]);
  });

  test('every file of init, and what it prints', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'command-name-'));
    const before = process.cwd();
    process.chdir(folder);
    onTestFinished(() => {
      process.chdir(before);
      rmSync(folder, { recursive: true, force: true });
    });
    writeFileSync('customers.csv', 'Customer number,Last name\n10041,Arbois\n');
    const { code, out } = await run('init', '--from', 'customers.csv', '--supplier', 'ACME', '--region', 'FR', '--yes');
    expect(code).toBe(0);
    const written = readdirSync(folder).map((name) => readFileSync(name, 'utf8'));
    const all = [out, ...written].join('\n');
    expect([...all.matchAll(NAMED)].length).toBeGreaterThan(5);
    expect(foreignCommandsOf(all)).toEqual([]);
  });

  test.each([
    ['data-import-sdk', ['node_modules/.bin/data-import-sdk', undefined]],
    ['npx data-import-sdk', ['/home/ada/.npm/_npx/1/node_modules/.bin/data-import-sdk', 'exec']],
  ])('the lines after Next of a run, as %s', async (program, [started, npmCommand]) => {
    await openService();
    vi.stubEnv('npm_command', npmCommand);
    const argv = [...process.argv];
    process.argv[1] = `/elsewhere/${started}`;
    onTestFinished(() => {
      process.argv = argv;
    });
    const { at, inputFile } = openFolder();
    const input = inputFile('input.jsonl', account('A-1', { customers: [{ landline: '12' }] }), account('A-2'));
    const { out } = await run('run', input, '--run', at('run'));
    expect(out).toMatch(/\nNext /);
    expect(out).toContain(`To run again: ${program.startsWith('npx') ? program : `/elsewhere/${started}`} run `);
    expect(foreignCommandsOf(out)).toEqual([]);
  });
});

test.each([
  ['npx data-import run input.jsonl', ['npx data-import', 'data-import run']],
  ['run `data-import check input.jsonl` first', ['data-import check']],
  ['node_modules/.bin/data-import run', ['node_modules/.bin/data-import run']],
  ['npx --yes data-import@latest', ['npx --yes data-import@latest']],
  ['pnpm dlx other-tool', ['pnpm dlx other-tool']],
  ['npm exec -- other', ['npm exec -- other']],
  ['npx -p other data-import-sdk', ['npx -p other data-import-sdk']],
  ['npx data-import-sdk run, npx --yes data-import-sdk@0.1.0 check, node_modules/.bin/data-import-sdk run', []],
  ['npx -p data-import-sdk@0.1.0 data-import-sdk run', []],
])('in %j the foreign commands are %j', (text, commands) => {
  expect(foreignCommandsOf(text)).toEqual(commands);
});
