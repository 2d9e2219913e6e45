/** Each `@example` in a doc comment of an exported name compiles against the source. */
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { compileErrors } from '../documents/compile.js';
import { root } from '../documents/documents.js';
import { ENTRIES } from '../reference/entries.js';

/** Values that an example may use without declaring them. */
const GLOBALS = `
  import type { AccountTransferStatus, DataImportClient } from 'data-import-sdk';
  import type { CsvRow, ImportRecord, Ledger, MigrationOptions } from 'data-import-sdk/migration';
  declare global {
    const client: DataImportClient;
    const answer: AccountTransferStatus;
    const row: CsvRow;
    const records: ImportRecord[];
    const readFromDatabase: () => AsyncIterable<ImportRecord>;
    const ledger: Ledger;
    const options: MigrationOptions;
    const importFile: (baseUrl: string, token: string, path: string) => Promise<void>;
    const file: { write(text: string): void };
  }`;

interface Example {
  /** File and name, such as `src/client.ts DataImportClient.pause`. */
  title: string;
  code: string;
}

const MODULES = new Map(ENTRIES.map(({ source, name }) => [name, namesIn(source)]));

const examples = ['src', 'schemas']
  .flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((path) => path.endsWith('.ts'))
  .flatMap(examplesIn);

const fileOf = (title: string) => `${root}/${title.replaceAll(/\W+/g, '-')}.mts`;
const WRONG = `${root}/wrong.mts`;
const errors = compileErrors(
  new Map([
    [`${root}/globals.mts`, GLOBALS],
    [WRONG, "await client.accounts.stage({ external_account_number: 1, import_supplier: 'ACME' });\nexport {};"],
    ...examples.map(({ title, code }) => [fileOf(title), `${importsFor(code)}\n${code}\nexport {};\n`] as const),
  ]),
);

test.each(examples)('the example of $title compiles', ({ title }) => {
  expect(errors.get(fileOf(title)) ?? []).toEqual([]);
});

test('the examples of functions, classes and methods are found', () => {
  expect(examples.map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      'src/client.ts DataImportClient',
      'src/client.ts DataImportClient.pause',
      'src/migration/migrate.ts runMigration',
      'schemas/values.ts isKnownStatus',
    ]),
  );
});

test('an example that does not compile is found', () => {
  expect(errors.get(WRONG)).toEqual(["Type 'number' is not assignable to type 'string'."]);
});

/** Returns the examples of a file, of exported declarations and of the members of exported classes and interfaces. */
function examplesIn(path: string): Example[] {
  const source = sourceOf(path);
  const found: Example[] = [];
  const visit = (node: ts.Node, owner: string) => {
    const name = (node as { name?: ts.Node }).name?.getText(source) ?? '';
    const title = [owner, name].filter(Boolean).join('.');
    for (const tag of ts.getJSDocTags(node)) {
      if (tag.tagName.text !== 'example') continue;
      found.push({ title: `${path} ${title}`, code: ts.getTextOfJSDocComment(tag.comment) ?? '' });
    }
    if (!ts.isClassLike(node) && !ts.isInterfaceDeclaration(node)) return;
    for (const member of node.members) visit(member, title);
  };
  for (const statement of source.statements) visit(statement, '');
  return found;
}

/** Returns imports of the exported names that the code has, each from the first entry point that exports it. */
function importsFor(code: string): string {
  const words = new Set(code.match(/\w+/g));
  return [...MODULES]
    .flatMap(([module, names]) =>
      names.filter((name) => words.delete(name)).map((name) => `import { ${name} } from '${module}';`),
    )
    .join('\n');
}

/** Returns the names that an entry point exports by name. */
function namesIn(path: string): string[] {
  return sourceOf(path).statements.flatMap((statement) =>
    ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)
      ? statement.exportClause.elements
          .filter((element) => !statement.isTypeOnly && !element.isTypeOnly)
          .map(({ name }) => name.text)
      : [],
  );
}

function sourceOf(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(`${root}/${path}`, 'utf8'), ts.ScriptTarget.Latest, true);
}
