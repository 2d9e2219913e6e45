/**
 * Three strangers' projects, each with nothing but the packed tarball: TypeScript as ESM, JavaScript as CommonJS, and
 * TypeScript that leaves the resolving to a bundler. Ten lines each are compiled and run; a wrong payload does not
 * compile, at the line on which it is wrong.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder, outcome, pack, root, run, write } from './consumer.js';

const { folder, remove } = emptyFolder();
const tsc = join(root, 'node_modules/.bin/tsc');

beforeAll(() => {
  write(folder, { 'package.json': JSON.stringify({ name: 'stranger', private: true, type: 'module' }) });
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', pack(folder), '@types/node@20');
});

afterAll(remove);

const account = (field: string) => `const account = {
  import_supplier: SANDBOX_SUPPLIER,
  external_account_number: 'A-1',
  ${field},
};`;
const stage = `const sandbox = createSandbox();
const { fetch } = sandbox;
const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: sandbox.token, fetch });
client.accounts.stage(account).then(({ callOutcome }) => console.log(callOutcome));
`;

const typescript = (field: string) => `import { DataImportClient, type Account } from 'data-import-sdk';
import { createSandbox, SANDBOX_SUPPLIER } from 'data-import-sdk/sandbox';
${account(field).replace('account =', 'account: Account =')}
${stage.replace('(url, init)', '(url: string, init: RequestInit)')}`;
const javascript = (field: string) => `const { DataImportClient } = require('data-import-sdk');
const { createSandbox, SANDBOX_SUPPLIER } = require('data-import-sdk/sandbox');
/** @type {import('data-import-sdk').Account} */
${account(field)}
${stage.replace('(url, init)', '(/** @type {string} */ url, /** @type {RequestInit} */ init)')}`;

const RIGHT = "customers: [{ given_name: 'Ada' }]";
/** By the name of their file. */
const WRONG: Readonly<Record<string, [field: string, message: string]>> = {
  misspelt: ["customer: [{ given_name: 'Ada' }]", "'customer' does not exist in type"],
  type: ['customers: [{ given_name: 7 }]', "Type 'number' is not assignable to type 'string"],
  choice: ["supply_addresses: [{ supply_points: [{ supply_type: 'WATER' }] }]", '"WATER"'],
};

interface Project {
  name: string;
  extension: string;
  text(field: string): string;
  /** The line of the field that is wrong. */
  line: number;
  run(): Promise<string>;
}

const projects: Project[] = [
  {
    name: 'TypeScript as ESM',
    extension: 'mts',
    text: typescript,
    line: 6,
    run: async () => run(folder, 'node', 'out/right.mjs'),
  },
  {
    name: 'JavaScript as CommonJS',
    extension: 'cjs',
    text: javascript,
    line: 7,
    run: async () => run(folder, 'node', 'right.cjs'),
  },
  {
    name: 'TypeScript for a bundler',
    extension: 'ts',
    text: typescript,
    line: 6,
    async run() {
      await build({
        entryPoints: [join(folder, 'right.ts')],
        outfile: join(folder, 'out/bundle.mjs'),
        bundle: true,
        platform: 'node',
        format: 'esm',
        packages: 'external',
        logLevel: 'error',
      });
      return run(folder, 'node', 'out/bundle.mjs');
    },
  },
];

/** What the compiler says of all projects: by file, each error with its line. */
let found: Map<string, string[]>;

/** Two programs for all projects and cases: a program for each would take minutes. */
function compileAll(): string {
  const names = ['right', ...Object.keys(WRONG)];
  for (const { extension, text } of projects) {
    for (const name of names) write(folder, { [`${name}.${extension}`]: text(WRONG[name]?.[0] ?? RIGHT) });
  }
  const files = (...extensions: string[]) => extensions.flatMap((each) => names.map((name) => `${name}.${each}`));
  const common = ['--strict', '--skipLibCheck', '--target', 'es2022', '--types', 'node', '--outDir', 'out'];
  const node = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--allowJs', '--checkJs'];
  const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler'];
  return [
    outcome(folder, tsc, ...common, ...node, ...files('mts', 'cjs')).output,
    outcome(folder, tsc, ...common, ...bundler, ...files('ts')).output,
  ].join('\n');
}

beforeAll(() => {
  found = new Map();
  for (const [, file = '', error = ''] of compileAll().matchAll(/^([\w.]+)\((\d+,\d+\): error TS.*(?:\n .*)*)/gm)) {
    found.set(file, [...(found.get(file) ?? []), error]);
  }
});

describe.each(projects)('$name', ({ extension, line, run: execute }) => {
  test('compiles, and stages an account', async () => {
    expect(found.get(`right.${extension}`)).toBeUndefined();
    expect(await execute()).toBe('created\n');
  });

  test.each(Object.entries(WRONG))('a payload with a wrong %s does not compile, at its line', (name, [, message]) => {
    const errors = found.get(`${name}.${extension}`) ?? [];
    expect(errors.map((error) => Number.parseInt(error, 10))).toEqual([line]);
    expect(errors[0]).toContain(message);
  });
});

describe('code that a bundler removes', () => {
  const bundleOf = async (code: string) => {
    write(folder, { 'entry.mjs': code });
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'entry.mjs')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      minify: true,
      write: false,
      packages: 'bundle',
      external: ['zod', 'undici', 'p-limit', 'p-retry', 'hono', '@hono/node-server'],
      // esbuild would warn about the modules that are left out on purpose.
      logLevel: 'error',
    });
    return outputFiles[0]?.text ?? '';
  };

  test('of one schema: the client and the sandbox', async () => {
    const text = await bundleOf("export { noteSchema } from 'data-import-sdk/schemas';");
    expect(text).toContain('document_paths');
    expect(text).not.toMatch(/DataImportClient|data-import-sdk\/|SANDBOX_/);
    expect(text).not.toMatch(/from"(undici|hono|p-retry|p-limit)"/);
  });

  test('unused imports are removed completely', async () => {
    const entries = ['data-import-sdk', 'data-import-sdk/schemas', 'data-import-sdk/sandbox'];
    expect((await bundleOf(entries.map((entry) => `import '${entry}';`).join('\n'))).trim()).toBe('');
  });
});

describe('parsePhone without libphonenumber-js names the command that installs it', () => {
  const message =
    'parsePhone: it needs the package libphonenumber-js, which is not installed. Install it with "npm install libphonenumber-js@1".';
  const esm = "import { parsePhone } from 'data-import-sdk/mapping';";
  const cjs = "const { parsePhone } = require('data-import-sdk/mapping');";

  test.each([
    ['phone.mjs', esm],
    ['phone.cjs', cjs],
  ])('in %s', (file, load) => {
    write(folder, { [file]: `${load}\ntry { parsePhone('06', 'FR'); } catch (error) { console.log(error.message); }` });
    expect(run(folder, 'node', file)).toBe(`${message}\n`);
  });

  test.each([
    ['input.mjs', `${esm}\nexport default function* records() {`],
    ['input.cjs', `${cjs}\nmodule.exports = function* records() {`],
  ])('in the command, for %s', (file, head) => {
    write(folder, { [file]: `${head}\n  yield parsePhone('06', 'FR');\n}\n` });
    const { ok, output } = outcome(folder, 'node_modules/.bin/data-import-sdk', 'check', file);
    expect(ok).toBe(false);
    expect(output).toContain(`data-import-sdk: ${message}\n`);
  });
});

test('no file of the build names a path of the machine that built it, and no source map is in the package', () => {
  const dist = join(folder, 'node_modules/data-import-sdk/dist');
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.[cm]?js$|\.map$/.test(name),
  );
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => name.endsWith('.map'))).toEqual([]);
  expect(names.filter((name) => readFileSync(join(dist, name), 'utf8').includes(root))).toEqual([]);
});

test('client and sandbox work where eval is forbidden', () => {
  write(folder, {
    'strict.mjs': `import { DataImportClient } from 'data-import-sdk';
      import { createSandbox, SANDBOX_SUPPLIER } from 'data-import-sdk/sandbox';
      ${account(RIGHT)} ${stage}`,
  });
  const flags = ['--disallow-code-generation-from-strings', '--disable-proto=throw'];
  expect(run(folder, 'node', ...flags, 'strict.mjs')).toBe('created\n');
});
