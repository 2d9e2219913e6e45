/**
 * Every block of TypeScript in README and docs, and every mapping in JavaScript, of docs, `examples/legacy` and `init`, compiles against the types of
 * the build, which are those that users get.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../cli/typed.js';
import { compileErrors } from '../documents/compile.js';
import { blocksOf, root } from '../documents/documents.js';

/** Values that a block may use without declaring them. */
const GLOBALS = `
  import type { Account, DataImportClient, Logger } from 'data-import-sdk';
  import type { Sandbox } from 'data-import-sdk/sandbox';
  declare global {
    const client: DataImportClient;
    const account: Account;
    const token: string;
    const baseUrl: string;
    const logger: Logger;
    const row: unknown;
    const records: unknown[];
    const sandbox: Sandbox;
  }`;

const blocks = blocksOf('ts');
const nameOf = ({ document, line }: { document: string; line: number }) =>
  `${root}/${document.replaceAll('/', '-')}-${line}.mts`;

const EXPORTS = {
  people:
    'Kundennummer;Nachname;Geburtsdatum;Mobil;Straße;PLZ;Sparte\nK-1;Arbois;31.12.1980;+4915112345678;Lindenweg;69003;Gas\n',
  meters: 'Kd.-Nr.;Zählpunkt;Sparte;Lieferbeginn\nK-1;DE0001234567890123456789012345671;Strom;01.02.2024\n',
  places: 'Kd.-Nr.;Zählpunkt;Straße;PLZ\nK-1;DE0001234567890123456789012345671;Marktplatz;69007\n',
  contacts: 'KdNr;E-Mail\nK-1;alix.arbois@example.com\n',
};

/** Mappings in JavaScript, as an editor reads them. */
const mappings = new Map([
  ...blocksOf('js').flatMap((block) =>
    block.code.includes('function map(') ? [[`${block.document}:${block.line}`, block.code] as const] : [],
  ),
  ['examples/legacy/map.mjs', readFileSync(`${root}/examples/legacy/map.mjs`, 'utf8')],
  ['init, of one file', await writtenByInit(['people'])],
  ['init, of several files', await writtenByInit(['people', 'meters', 'contacts'])],
  ['init, with an address for each point', await writtenByInit(['people', 'places'])],
]);

const built = (name: string) => [`${root}/dist/${name}.d.ts`];

const paths = { 'data-import-sdk': built('index'), 'data-import-sdk/*': built('*') };

/** The error messages of each block, by the name of its file. */
const errors = compileErrors(
  new Map([
    [`${root}/globals.mts`, GLOBALS],
    [
      `${root}/wrong.mts`,
      "await client.accounts.stage({ external_account_number: 1, import_supplier: 'ACME' });\nexport {};",
    ],
    ...blocks.map((block) => [nameOf(block), `${block.code}\nexport {};\n`] as const),
  ]),
  { paths, exactOptionalPropertyTypes: false },
);

/** The fields in which each mapping is misspelt below. */
const FIELDS = [
  'external_account_number',
  'customers',
  'family_name',
  'supply_type',
  'transactions',
  'transaction_date',
  'amount',
];
const mappingErrors = compileErrors(
  new Map(
    [...mappings].flatMap(([title, code]) => [
      [mappingFile(title), code] as const,
      ...misspelt(code).map(([field, wrong]) => [mappingFile(title, field), wrong] as const),
    ]),
  ),
  { paths, checkJs: true, noUncheckedIndexedAccess: false, noUnusedParameters: false },
);

test.each(blocks.map((block) => [`${block.document}:${block.line}`, nameOf(block)]))('%s', (_, name) => {
  expect(errors.get(name) ?? []).toEqual([]);
});

test.each([...mappings])('the mapping of %s', (title, code) => {
  expect(mappingErrors.get(mappingFile(title)) ?? []).toEqual([]);
  const fields = misspelt(code).map(([field]) => field);
  expect(fields).toContain('external_account_number');
  expect(fields.filter((field) => !mappingErrors.has(mappingFile(title, field)))).toEqual([]);
});

test('a block that does not compile is found', () => {
  expect(errors.get(`${root}/wrong.mts`)).toEqual(["Type 'number' is not assignable to type 'string'."]);
});

function mappingFile(title: string, field = ''): string {
  return `${root}/${title.replaceAll(/\W+/g, '-')}-${field}.mjs`;
}

/** Returns the code once for each field that it writes, with an error in the name of that field. */
function misspelt(code: string): [field: string, wrong: string][] {
  return FIELDS.flatMap((field) => {
    const wrong = code.replace(new RegExp(`(?<=[{ ])${field}(?=: )`), `${field}z`);
    return wrong === code ? [] : [[field, wrong]];
  });
}

/** Returns the mapping that `init` writes for these files. */
async function writtenByInit(names: readonly (keyof typeof EXPORTS)[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'documents-compile-'));
  try {
    for (const name of names) writeFileSync(join(folder, `${name}.csv`), EXPORTS[name]);
    process.chdir(folder);
    await run('init', ...names.map((name) => `${name}.csv`), '--supplier', 'LEG', '--region', 'DE', '--yes');
    return readFileSync('map.mjs', 'utf8');
  } finally {
    process.chdir(root);
    rmSync(folder, { recursive: true });
  }
}
