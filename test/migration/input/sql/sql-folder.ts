/** A folder with small messy exports and queries, and the records that a query gives. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type OpenInputOptions, openInput } from '../../../../src/migration/input/open-input.js';
import { newFolder } from '../../../helpers/folder.js';

/** In Windows-1252, with the characters of it that ISO 8859-1 does not have. */
export function windows1252(text: string): Buffer {
  const bytes = { '€': '\x80', Œ: '\x8c', œ: '\x9c', '’': '\x92' };
  return Buffer.from(
    text.replace(/[€Œœ’]/g, (character) => bytes[character as keyof typeof bytes]),
    'latin1',
  );
}

export function openSqlFolder() {
  const folder = newFolder('sql-', afterAll);
  const at = (name: string) => join(folder, name);
  const spoolFolder = at('temporary');
  mkdirSync(spoolFolder);

  function write(name: string, content: string | Buffer): string {
    writeFileSync(at(name), content);
    return at(name);
  }

  /** The records that a query gives: a whole one, or an expression for the account of each row. */
  async function recordsOf(sql: string, options: OpenInputOptions = {}): Promise<unknown[]> {
    const input = await openInput([write('query.sql', sql)], { spoolFolder, ...options });
    try {
      const records: unknown[] = [];
      for await (const line of input) records.push(JSON.parse(line.text));
      return records;
    } finally {
      await input.close();
    }
  }

  /** The message with which a query ends, without the name of the folder. */
  async function messageOf(sql: string, options: OpenInputOptions = {}): Promise<string> {
    const records = await recordsOf(sql, options).catch((error: Error) => error);
    if (records instanceof Error) return records.message.replaceAll(`${folder}/`, '');
    throw new Error(`expected a message, found ${JSON.stringify(records)}`);
  }

  return { at, write, recordsOf, messageOf, spoolFolder, leftFiles: () => readdirSync(spoolFolder) };
}
