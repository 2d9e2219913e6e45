/** `data-import-sdk columns`: the columns of the sources of a query, and of its result; no row is read. */
import { tmpdir } from 'node:os';
import { describeSql } from '../../migration/input/sql/open-sql.js';
import { fieldsOf, rowTypes } from '../../migration/input/sql/row-types.js';
import { defineCommand } from '../options/command.js';
import { type InputFlags, inputOptions } from '../options/input-options.js';
import { UsageError } from '../shared/errors.js';

export const command = defineCommand({
  operands: [['<query>', 'a query whose rows are records (.sql)']],
  options: {
    encoding: inputOptions.encoding,
    types: {
      flags: '--types',
      group: 'Output',
      help: 'print the TypeScript type of the rows',
      isFlagOnly: true,
    },
  },
  async action(
    path,
    { types, sources, encoding }: Pick<InputFlags, 'sources' | 'encoding'> & { types?: true },
    { out },
  ) {
    if (!/\.sql$/i.test(path)) throw new UsageError(`${path}: expected a query (.sql).`);
    const given = { sources, encoding, longestLine: undefined, spoolFolder: tmpdir(), showPersonalData: false };
    const { duckDb, tables, columns: found } = await describeSql(path, given);
    if (types) {
      out(rowTypes(path, found, duckDb));
      return;
    }
    for (const { name, columns: ofTable } of tables) {
      out(`${name}\n${inColumns(ofTable.map((column) => [column.name, column.type]))}`);
    }
    out(`result\n${inColumns(fieldsOf(found, duckDb).map((field) => [field.path, field.type]))}`);
  },
});

function inColumns(rows: readonly (readonly [name: string, type: string])[]): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, type]) => `  ${name.padEnd(width)}  ${type}\n`).join('');
}
