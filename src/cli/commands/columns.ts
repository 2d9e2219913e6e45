/** `data-import-sdk columns`: the columns of the sources of a query, and of its result; no row is read. */
import { tmpdir } from 'node:os';
import { describeSql } from '../../migration/input/sql/open-sql.js';
import { defineCommand } from '../options/command.js';
import { type InputFlags, inputOptions } from '../options/input-options.js';
import { UsageError } from '../shared/errors.js';

export const command = defineCommand({
  operands: [['<query>', 'a query whose rows are records (.sql)']],
  options: {
    encoding: inputOptions.encoding,
  },
  async action(path, { encoding }: Pick<InputFlags, 'encoding'>, { out }) {
    if (!/\.sql$/i.test(path)) throw new UsageError(`${path}: expected a query (.sql).`);
    const given = { encoding, longestLine: undefined, spoolFolder: tmpdir(), showPersonalData: false };
    const { tables, fields } = await describeSql(path, given);
    for (const { name, columns } of tables) {
      out(`${name}\n${inColumns(columns.map((column) => [column.name, column.type]))}`);
    }
    out(`result\n${inColumns(fields.map((field) => [field.path, field.type]))}`);
  },
});

function inColumns(rows: readonly (readonly [name: string, type: string])[]): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, type]) => `  ${name.padEnd(width)}  ${type}\n`).join('');
}
