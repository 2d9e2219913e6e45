/** The reference says what the code does. That its pages are those of today's code is checked by `npm run lint`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../src/options.js';
import { SANDBOX_SETTINGS } from '../../src/sandbox/settings/settings-table.js';
import { cliPages } from './cli.js';
import { ROOT } from './entries.js';
import { code, literal } from './markdown.js';
import { operationsPage } from './operations.js';
import { REGISTER } from './register.js';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const rowsOf = (page: string, first: string) => page.split('\n').filter((line) => line.startsWith(`| ${first} |`));

describe('every exported name, and every member of one, has a doc comment', () => {
  test.each(readdirSync(join(ROOT, 'etc')))('in %s', (file) => {
    // API Extractor writes `(undocumented)` above what has none; what a declaration begins with says whether it is public.
    const declarations = read(`etc/${file}`).split('\n\n');
    const exported = declarations.filter((declaration) => /^export /m.test(declaration));
    const bare = exported.flatMap((declaration) => {
      const lines = declaration.split('\n');
      const name = lines.find((line) => line.startsWith('export '));
      return lines.flatMap((line, index) =>
        line.includes('(undocumented)') && !line.includes('@internal') ? [`${name} ${lines[index + 1]?.trim()}`] : [],
      );
    });
    expect(bare).toEqual([]);
  });
});

test('the page of the options has the defaults that the client has', () => {
  const page = read('docs/reference/options.md').split('### CallOptions')[0] ?? '';
  const { advanced, ...others } = DEFAULTS;
  for (const [name, value] of Object.entries({ ...others, ...advanced })) {
    expect(rowsOf(page, code(name))).toEqual([expect.stringContaining(`| ${code(literal(value))} |`)]);
  }
  expect(rowsOf(page, '`maxRetries`')).toEqual([
    '| `maxRetries` | `number` | `3` | Maximum number of retries of a failed request. |',
  ]);
});

test('the doc comment of each setting of the sandbox names the default that the code has', () => {
  const page = read('docs/reference/api/data-import-sdk/sandbox/interfaces/SandboxSettings.md');
  for (const { name, default: value } of SANDBOX_SETTINGS) {
    const row = page.split('\n').find((line) => line.includes(`></a> \`${name}\``));
    expect(row).toContain(`**Default** \`${literal(value)}\``);
  }
});

test('the register has a row for each of U1 to U32, and each has a setting', () => {
  const ids = Array.from({ length: 32 }, (_, index) => `U${index + 1}`);
  expect(Object.keys(REGISTER)).toEqual(ids);
  expect(ids.filter((id) => !SANDBOX_SETTINGS.some(({ settles }) => settles === id))).toEqual([]);
});

test('the page of unspecified behaviour has for U14 the question, the behaviour of the client and the setting', () => {
  const section =
    read('docs/unspecified-behaviour.md')
      .split('\n## ')
      .find((part) => part.startsWith('U14\n')) ?? '';
  expect(section).toContain('400 is a `ValidationError`, 404 a `NotFoundError`; the client retries neither.');
  expect(section).toContain('| `accountNotFound` | `400` | `400 \\| 404` |');
});

test('E5 the page of the operations has path, payload, answers and what follows a lost answer', () => {
  const section =
    operationsPage()
      .split('\n## ')
      .find((part) => part.startsWith('accounts.stage\n')) ?? '';
  expect(section).toContain('| method and path | `POST account-import-process/create-or-update/` |');
  expect(section).toContain('| payload | [`Account`](api/data-import-sdk/schemas/interfaces/Account.md) |');
  expect(section).toContain('| 201 | [`StageAnswer`](api/data-import-sdk/schemas/interfaces/StageAnswer.md) |');
  expect(section).toContain('| after a lost answer | sent again |');
  expect(section).toContain('- Stage 400 causes: import supplier Paused or Complete (D162)');
});

test('after a lost answer, process is followed by status queries, and the creation of a business is an unknown outcome', () => {
  const sections = operationsPage().split('\n## ');
  const lost = (name: string) =>
    sections.find((part) => part.startsWith(`${name}\n`))?.match(/after a lost answer \| (.*) \|/)?.[1];
  expect(lost('accounts.process')).toBe(
    'queries with `imports.status` until the quiet time (`advanced.inFlightGraceMs`) is over; sent again only if no account was created; with `dry_run: true` (`accounts.dryRun`): sent again',
  );
  expect(lost('businesses.create')).toBe('`OutcomeUnknownError`, unless `retryUnknownOutcome` is true');
});

test('each command has a page with its flags, their environment variables, config keys and defaults', async () => {
  const pages = await cliPages();
  expect(pages.get('cli/run.md')).toContain(
    '| `--base-url <url>` | `DATA_IMPORT_BASE_URL` | `baseUrl` |  | Service address, without /v1/data-import/. |',
  );
  expect(pages.get('cli/run.md')).toContain(
    '| `--concurrency <number>` | `DATA_IMPORT_CONCURRENCY` | `concurrency` | `32` | Calls at once, retries included. |',
  );
  expect(pages.get('cli/run.md')).toContain('data-import-sdk run export.csv.gz --map map.mjs --team EAST');
  expect(pages.get('cli/sandbox.md')).toContain('| `-p, --port <number>` | `4010` | Port; 0 for any free port. |');
  expect(pages.get('cli/README.md')).toContain('| 11 | inUse | Another run is active in the folder. |');
  expect(pages.get('cli/README.md')).toContain('| [`verify`](verify.md) |');
});

test('no page has a path of the machine that wrote it', () => {
  const pages = readdirSync(join(ROOT, 'docs/reference'), { recursive: true, encoding: 'utf8' });
  const files = pages.filter((path) => path.endsWith('.md')).map((path) => join('docs/reference', path));
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((path) => read(path).includes(ROOT))).toEqual([]);
});
