/** Every block of TypeScript in README and docs compiles against the types of the build, which are those that users get. */
import { expect, test } from 'vitest';
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

const built = (name: string) => [`${root}/dist/${name}.d.ts`];

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
  { paths: { 'data-import-sdk': built('index'), 'data-import-sdk/*': built('*') }, exactOptionalPropertyTypes: false },
);

test.each(blocks.map((block) => [`${block.document}:${block.line}`, nameOf(block)]))('%s', (_, name) => {
  expect(errors.get(name) ?? []).toEqual([]);
});

test('a block that does not compile is found', () => {
  expect(errors.get(`${root}/wrong.mts`)).toEqual(["Type 'number' is not assignable to type 'string'."]);
});
