/** What `data-import-sdk init` writes: no text of an export, neither a cell nor a name nor a path, becomes code. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import ts from 'typescript';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shellWord } from '../../src/cli/shared/command-text.js';
import { run } from '../cli/typed.js';
import { anyText } from '../helpers/any-text.js';
import { seed } from '../helpers/seed.js';

const PROGRAM = 'globalThis.process.getBuiltinModule("fs").writeFileSync("PWNED","1")';

/** Parts that end a literal, a comment, a template, a fence or a word, and programs after them. */
const PARTS = [
  ...[
    '"',
    "'",
    '`',
    '${',
    '}',
    '*/',
    '/*',
    '//',
    '--',
    '\\',
    '\n',
    '\r',
    '\r\n',
    '\u2028',
    '\u2029',
    '\u0085',
    '\u202e',
  ],
  ...[
    ...['</script>', '<!--', '-->', '```\n', '# ', '|', ']', ')', ',', ';', '[', '(', ': ', '\\u2028', '\\n'],
    ...['$(touch PWNED)', '\t'],
  ],
  ...[PROGRAM, `[${PROGRAM}]: "GAS", //`, "COPY (SELECT 1) TO 'PWNED'", '__proto__', 'x', 'é', '\u{1f600}'],
];
const hostile = fc
  .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 })
  .map((parts) => `x${parts.join('')}x`);
/** What may follow the words of a known column: neither letters nor digits. */
const suffix = fc.array(fc.constantFrom('', '"', '\u2028', '\n', "'", '`', '*/', '--', '\\', ' ', '/*'), {
  maxLength: 4,
});

interface Attack {
  path: string;
  names: [point: string, energy: string, other: string];
  cells: string[];
  supplier: string;
}

const attacks: fc.Arbitrary<Attack> = fc
  .record({
    path: hostile.map((text) => `${text.replaceAll('/', '')}.csv`),
    names: fc.tuple(
      suffix.map((marks) => `PDL${marks.join('')}`),
      suffix.map((marks) => `Énergie${marks.join('')}`),
      hostile,
    ),
    cells: fc.array(hostile, { minLength: 2, maxLength: 2 }),
    supplier: hostile,
  })
  // The name of a file has 255 bytes. A name that is a value of its column too shows that the file has no header.
  .filter(
    ({ path, cells, names }) =>
      !cells.includes(names[2]) && Buffer.byteLength(path) < 200 && cells[0] !== cells[1] && !path.startsWith('x.csv'),
  );

const HARMLESS: Attack = { path: 'clients.csv', names: ['PDL', 'Énergie', 'Autre'], cells: ['y', 'z'], supplier: 'X' };

/** These tests run many commands: 20 s on a machine with nothing else to do. */
const LONG = 120_000;

const before = process.cwd();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'init-'));
  process.chdir(folder);
});

afterEach(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

const csv = (rows: string[][]) =>
  rows.map((row) => `${row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';')}\r\n`).join('');

/** Starts a project from this export. Returns the texts of its files, by their names. */
async function projectOf({ path, names, cells, supplier }: Attack, as: 'map' | 'sql'): Promise<Record<string, string>> {
  // A module is loaded once for each path.
  process.chdir(mkdtempSync(join(folder, 'project-')));
  const rows = ['ELEC', 'GAZ', ...cells].map((cell, index) => [`A-${index}`, `0000000000000${index}`, cell, cell]);
  writeFileSync(path, csv([['N° client', ...names], ...rows]));
  const { code, err } = await run('init', '--from', path, '--supplier', supplier, '--as', as, '--yes');
  expect(err).toBe('');
  expect(code).toBe(0);
  return Object.fromEntries(
    readdirSync('.')
      .sort()
      .filter((name) => name !== path)
      .map((name) => [name.endsWith('.sql') ? 'query.sql' : name, readFileSync(name, 'utf8')]),
  );
}

/** The text of a program with `_` in place of each string literal, by the compiler: the rest is code and comments. */
function outsideLiterals(text: string): string {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
  const templates: number[] = [];
  let depth = 0;
  let rest = '';
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (kind === ts.SyntaxKind.OpenBraceToken || kind === ts.SyntaxKind.TemplateHead) depth++;
    if (kind === ts.SyntaxKind.TemplateHead) templates.push(depth);
    if (kind === ts.SyntaxKind.CloseBraceToken) {
      if (templates.at(-1) === depth) kind = scanner.reScanTemplateToken(false);
      if (kind !== ts.SyntaxKind.TemplateMiddle) {
        if (kind === ts.SyntaxKind.TemplateTail) templates.pop();
        depth--;
      }
    }
    expect(scanner.isUnterminated()).toBe(false);
    rest += kind === ts.SyntaxKind.StringLiteral ? '_' : scanner.getTokenText();
  }
  return rest;
}

/** The same of a query: its texts, its names, and the JSON in its comments. */
function outsideTexts(sql: string): string {
  return sql
    .replace(/^--.*/gm, (comment) => comment.replace(/"(?:[^"\\]|\\.)*"/g, '_'))
    .replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, '_')
    .replace(/\(_(?: \|\| (?:chr\(\d+\)|_))+\)/g, '_')
    .replace(/^-- source \w+:/gm, '-- source clients:')
    .replace(/^FROM _ AS _ \(.*\)$/gm, 'FROM _');
}

describe('an export whose cells, names and path are programs', () => {
  it.each(['map', 'sql'] as const)(
    'changes nothing in the generated files besides literals, as %s',
    { tags: 'long', timeout: LONG },
    async (as) => {
      const plain = await projectOf(HARMLESS, as);
      await fc.assert(
        fc.asyncProperty(attacks, async (attack) => {
          const files = await projectOf(attack, as);
          expect(Object.keys(files).sort()).toEqual(Object.keys(plain).sort());
          for (const [name, text] of Object.entries(files)) {
            expect(text).not.toMatch(/[^\P{Cc}\n]|[\u2028\u2029\u202e]/u);
            const of = name.endsWith('.mjs') ? outsideLiterals : name.endsWith('.sql') ? outsideTexts : outsideWords;
            expect(of(text)).toBe(of(plain[name] ?? ''));
          }
        }),
        { seed, numRuns: 20 },
      );
    },
  );

  it(
    'runs nothing when its mapping is used, and every column and value arrives',
    async () => {
      await fc.assert(
        fc.asyncProperty(attacks, async (attack) => {
          await projectOf({ ...attack, path: 'clients.csv' }, 'map');
          const { out, err } = await run('check', 'clients.csv', '--map', 'map.mjs', '--no-warnings');
          expect(err).toBe('');
          expect(out).toContain('4 lines');
          expect(out).toContain('supply_type');
          expect(existsSync('PWNED')).toBe(false);
        }),
        { seed, numRuns: 5 },
      );
    },
    LONG,
  );

  it(
    'runs nothing when its query is executed, and every column and value arrives',
    async () => {
      await fc.assert(
        fc.asyncProperty(attacks, async (attack) => {
          // A line break in the first row of a source is not read by a query.
          const cells = attack.cells.map((cell) => cell.replace(/[\r\n]/g, ' '));
          const files = await projectOf({ ...attack, cells }, 'sql');
          writeFileSync('query.sql', files['query.sql'] ?? '');
          const { out, err } = await run('check', 'query.sql', '--no-warnings');
          expect(err).toBe('');
          expect(out).toContain('4 lines');
          expect(existsSync('PWNED')).toBe(false);
        }),
        { seed, numRuns: 2 },
      );
    },
    LONG,
  );

  it('the reported one: a line separator in a cell, and a program after it', async () => {
    const cell = `x\u2028[${PROGRAM}]: "GAS", //`;
    writeFileSync(
      'c.csv',
      csv([
        ['account number', 'name', 'energy', 'MPAN'],
        ['A-1', 'Doe', 'electricity', '1200000000001'],
        ['A-2', 'Roe', cell, '1200000000002'],
      ]),
    );
    await run('init', '--from', 'c.csv', '--yes');
    expect((await run('check', 'c.csv', '--map', 'map.mjs')).out).toContain('supply_points.0.supply_type');
    expect(existsSync('PWNED')).toBe(false);
  });
});

/** The same of README.md, data-import.config.json and .gitignore: words of commands, and strings of JSON. */
function outsideWords(text: string): string {
  return text
    .replace(/(?<=^npx data-import-sdk \w+ )(?:\$'(?:[^'\\]|\\.)*'|'(?:[^']|'\\'')*'|[\w@%+=:,./-]+)/gm, '_')
    .replace(/"(?:[^"\\]|\\.)*"/g, '_')
    .replace(/\b\w+\.sql\b/g, '_')
    .replace(/ +#/g, ' #');
}

it('a word of a printed command is the same word for the shell, with line ends and controls too', {
  tags: 'long',
}, () => {
  const words = fc
    .sample(fc.oneof(hostile, anyText()), { seed, numRuns: 300 })
    .map((word) => word.replace(/[\0\p{Cs}]/gu, ''));
  const command = `printf '%s\\0' ${words.map((word) => shellWord(word, 'linux')).join(' ')}`;
  expect(command).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
  const printed = execFileSync('bash', ['-c', command], { cwd: folder, encoding: 'utf8' });
  expect(printed.split('\0')).toEqual([...words, '']);
  expect(readdirSync(folder)).toEqual([]);
});
