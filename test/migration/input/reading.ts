/** Helpers that write input files to a new folder and list what is read from them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Input, InputLine } from '../../../src/migration/input/source.js';
import { newFolder } from '../../helpers/folder.js';

/** Writes files into a new folder, which is gone after the test. Gives the way to each. */
export async function folderWith(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = newFolder('input-');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return { folder, at: (name: string) => join(folder, name) };
}

/** Each item in few words: `3 A-1`, `4 B-1`, or `5 invalid_json`. */
export async function describeItems(source: Input): Promise<string[]> {
  const lines: string[] = [];
  for await (const item of source) {
    const found = item.read();
    lines.push(`${item.line} ${'problem' in found ? found.problem.code : numberOf(found.record)}`);
  }
  return lines;
}

/** Items that come some at a time, one after another. */
export async function* oneByOne(items: AsyncIterable<InputLine[]>): AsyncGenerator<InputLine> {
  for await (const some of items) yield* some;
}

function numberOf(record: object): unknown {
  const { account, business } = record as Record<'account' | 'business', Record<string, unknown> | undefined>;
  return account?.['external_account_number'] ?? business?.['external_business_identifier'] ?? '?';
}

export const accountLine = (number: string) =>
  `{"account":{"import_supplier":"SUP","external_account_number":"${number}"}}`;

export const businessLine = (number: string) =>
  `{"business":{"import_supplier_code":"SUP","external_business_identifier":"${number}"}}`;
