/**
 * No text, however it was made, keeps a regular expression busy for longer than its length explains. Every pattern of
 * the sources is analysed, so that a new one is too; and the checks are given a million characters each.
 */
// @module-tag long
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validateAccount, validateTransactions } from 'data-import-sdk';
import { analyse } from 'scslre';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { payloadJsonSchemas } from '../../schemas/json-schema.js';
import { withPosition } from '../../src/migration/record/items/items.js';
import { csvRow } from '../../src/migration/report/result-files/csv-cell.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Pattern {
  where: string;
  source: string;
  flags: string;
}

/** What takes more than linear time, each as `file: /pattern/`. */
function slow(patterns: readonly Pattern[]): string[] {
  return patterns
    .filter(({ source, flags }) => analyse({ source, flags }).reports.length > 0)
    .map(({ where, source, flags }) => `${where}: /${source}/${flags}`);
}

function patternsOfSources(): Pattern[] {
  return ['schemas', 'src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|js)$/.test(name))
      .flatMap((name) => patternsIn(join(folder, name))),
  );
}

function patternsIn(where: string): Pattern[] {
  const found: Pattern[] = [];
  const walk = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ where, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    ts.forEachChild(node, walk);
  };
  walk(ts.createSourceFile(where, readFileSync(join(ROOT, where), 'utf8'), ts.ScriptTarget.ES2022));
  return found;
}

/** Those that zod brings along: of dates, datetimes and the like. */
function patternsOfSchemas(): Pattern[] {
  const found: Pattern[] = [];
  JSON.stringify(payloadJsonSchemas(), (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string') found.push({ where: 'JSON Schema', source: value, flags: '' });
    return value;
  });
  return found;
}

describe('patterns', () => {
  it('of the sources: none takes more than linear time', () => {
    const patterns = patternsOfSources();
    expect(patterns.length).toBeGreaterThan(60);
    expect(slow(patterns)).toEqual([]);
  });

  it('of the JSON Schemas: none takes more than linear time', () => {
    const patterns = patternsOfSchemas();
    expect(patterns.length).toBeGreaterThan(3);
    expect(slow(patterns)).toEqual([]);
  });

  it.each(['^\\s+at .*?([^(\\s]+:\\d+)$', '^[A-Z]*\\d{0,6}[A-Z]*$', '(a+)+$'])(
    'what the analysis is for is found by it: %s',
    (source) => {
      expect(slow([{ where: 'here', source, flags: '' }])).toEqual([`here: /${source}/`]);
    },
  );
});

describe('a million characters end in a finding, at once', () => {
  const MILLION = 1_000_000;

  it.each([
    ['a phone of blanks', 'landline', `+1${' '.repeat(MILLION)}x`, 'invalid_phone_number'],
    ['a phone of digits', 'mobile', `+${'1'.repeat(MILLION)}x`, 'invalid_phone_number'],
    ['a phone of brackets', 'landline', `${'('.repeat(MILLION)}1`, 'invalid_phone_number'],
    ['a date of digits', 'date_of_birth', '1'.repeat(MILLION), 'invalid_date'],
    ['a date of dashes', 'date_of_birth', `2000${'-'.repeat(MILLION)}`, 'invalid_date'],
    ['an e-mail of at signs', 'email', `${'@'.repeat(MILLION)} `, 'email_in_unusual_form'],
    ['an e-mail without an end', 'email', `a@${'b'.repeat(MILLION)} `, 'email_in_unusual_form'],
  ])('%s', (_, field, value, code) => {
    const account = { import_supplier: 'ACME', external_account_number: 'A-1', customers: [{ [field]: value }] };
    const { findings } = validateAccount(account);
    expect(findings.map((finding) => [finding.attr, finding.code])).toContainEqual([`customers.0.${field}`, code]);
  });

  it('an amount', () => {
    const transactions = [{ type: 'CHARGE', amount: `${'9'.repeat(MILLION)}.`, transaction_date: '2026-01-01' }];
    const { ok } = validateTransactions({
      external_account_number: 'A-1',
      import_supplier: 'ACME',
      transactions,
    } as never);
    expect(ok).toBe(false);
  });

  it('the place of an error, as a service may name it', () => {
    const attr = `transactions.${'0'.repeat(MILLION)}\n`;
    expect(withPosition(attr, () => 4)).toBe(attr);
  });

  it('a text that the console of the sandbox shows as JSON', async () => {
    // By its address: the console has the types of a browser.
    const view = new URL('../../src/sandbox/admin/console/shared/json-view.js', import.meta.url).href;
    const { tokensOf } = (await import(view)) as { tokensOf: (text: string) => Iterable<[string, string]> };
    const text = '"\\'.repeat(MILLION / 2);
    expect([...tokensOf(text)]).toEqual([
      ['', ''],
      [text, 'string'],
      ['', ''],
      ['', ''],
    ]);
    expect([...tokensOf('{"a\\"b" : [1, true, "c"]}')].filter(([, kind]) => kind !== '')).toEqual([
      ['"a\\"b"', 'key'],
      ['1', 'value'],
      ['true', 'value'],
      ['"c"', 'string'],
    ]);
  });

  it('a cell of the CSV of a run', () => {
    const cell = `a${' '.repeat(MILLION)}a`;
    expect(csvRow([cell])).toBe(`"${cell}"\r\n`);
  });
});
