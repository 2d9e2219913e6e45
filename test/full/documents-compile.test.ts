/** Every block of TypeScript in README and docs compiles, against the types that a user gets: those of the build. */
import ts from 'typescript';
import { expect, test } from 'vitest';
import { blocksOf, root } from '../documents/documents.js';

/** What the blocks have at hand without saying where from. */
const AT_HAND = `
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

/** By the name of its file, and empty where all is well. */
const complaints = compile(
  new Map([
    [`${root}/at-hand.mts`, AT_HAND],
    [
      `${root}/wrong.mts`,
      "await client.accounts.stage({ external_account_number: 1, import_supplier: 'ACME' });\nexport {};",
    ],
    ...blocks.map((block) => [nameOf(block), `${block.code}\nexport {};\n`] as const),
  ]),
);

test.each(blocks.map((block) => [`${block.document}:${block.line}`, nameOf(block)]))('%s', (_, name) => {
  expect(complaints.get(name) ?? []).toEqual([]);
});

test('a block that does not compile would be found', () => {
  expect(complaints.get(`${root}/wrong.mts`)).toEqual(["Type 'number' is not assignable to type 'string'."]);
});

function compile(files: ReadonlyMap<string, string>): Map<string, string[]> {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const built = (name: string) => [`${root}/dist/${name}.d.ts`];
  const compilerOptions = {
    ...options,
    paths: {
      'data-import-sdk': built('index'),
      'data-import-sdk/*': built('*'),
    },
    // A user's own taste, and none of the blocks' business.
    noPropertyAccessFromIndexSignature: false,
    noUnusedLocals: false,
    exactOptionalPropertyTypes: false,
  };
  const host = ts.createCompilerHost(compilerOptions);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = files.get(name);
    return text === undefined ? getSourceFile(name, version, ...rest) : ts.createSourceFile(name, text, version, true);
  };
  const program = ts.createProgram([...files.keys()], compilerOptions, host);
  const found = new Map<string, string[]>();
  for (const { file, messageText } of ts.getPreEmitDiagnostics(program)) {
    const name = file?.fileName ?? '';
    found.set(name, [...(found.get(name) ?? []), ts.flattenDiagnosticMessageText(messageText, '\n')]);
  }
  return found;
}
