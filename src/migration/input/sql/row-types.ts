/** Exports `rowTypes`, which returns the TypeScript type of the rows of a query, and `fieldsOf`, which lists their fields. They read no rows. */
import { basename } from 'node:path';
import type { DuckDb } from './engine.js';
import type { ColumnType, ResultColumn } from './query.js';

type Api = import('@duckdb/node-api').DuckDBStructType;
type ListType = import('@duckdb/node-api').DuckDBListType;
type MapType = import('@duckdb/node-api').DuckDBMapType;
type EnumType = import('@duckdb/node-api').DuckDBEnumType;

/** Returns the type, named after the file: `CustomersRow` for `customers.sql`. */
export function rowTypes(file: string, columns: readonly ResultColumn[], duckDb: DuckDb): string {
  const name = basename(file)
    .replace(/\.sql$/i, '')
    .replace(/(?:^|\W+|_)(\w?)/g, (_, letter: string) => letter.toUpperCase());
  const isLetter = /^[A-Z]/.test(name);
  const fields = columns.map((column) => `  ${column.name}?: ${typeOf(column.type, duckDb, '  ')};`);
  return [
    `/** A row of ${basename(file)}. A field that is NULL is left out. */`,
    `export interface ${isLetter ? '' : 'Query'}${name}Row {`,
    ...fields,
    '}\n',
  ].join('\n');
}

function typeOf(type: ColumnType, duckDb: DuckDb, indent: string): string {
  const { DuckDBTypeId: id } = duckDb;
  if (type.alias === 'JSON') return 'unknown';
  switch (type.typeId) {
    case id.STRUCT: {
      const { entryNames, entryTypes } = type as Api;
      const inner = `${indent}  `;
      const fields = entryNames.map(
        (name, index) => `${inner}${property(name)}?: ${typeOf(entryTypes[index] as ColumnType, duckDb, inner)};\n`,
      );
      return `{\n${fields.join('')}${indent}}`;
    }
    case id.LIST:
    case id.ARRAY: {
      const item = typeOf((type as ListType).valueType, duckDb, indent);
      return /^(?:\w+|\{[\s\S]*\})$/.test(item) ? `${item}[]` : `(${item})[]`;
    }
    case id.MAP:
      return `Record<string, ${typeOf((type as MapType).valueType, duckDb, indent)}>`;
    case id.ENUM:
      return (type as EnumType).values.map((value) => JSON.stringify(value)).join(' | ');
    case id.BOOLEAN:
      return 'boolean';
    case id.SQLNULL:
      return 'never';
    default:
      return NUMBER.test(type.toString()) ? 'number' : 'string';
  }
}

const NUMBER = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL)/;

function property(name: string): string {
  return /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name);
}

/** Returns a line for each field, such as `account.customers[].email  VARCHAR`. */
export function fieldsOf(columns: readonly ResultColumn[], duckDb: DuckDb): { path: string; type: string }[] {
  return columns.flatMap(({ name, type }) => fieldsIn(name, type, duckDb));
}

function fieldsIn(path: string, type: ColumnType, duckDb: DuckDb): { path: string; type: string }[] {
  const { DuckDBTypeId: id } = duckDb;
  if (type.typeId === id.STRUCT) {
    const { entryNames, entryTypes } = type as Api;
    return entryNames.flatMap((name, index) => fieldsIn(`${path}.${name}`, entryTypes[index] as ColumnType, duckDb));
  }
  if (type.typeId === id.LIST || type.typeId === id.ARRAY) {
    return fieldsIn(`${path}[]`, (type as ListType).valueType, duckDb);
  }
  return [{ path, type: type.alias ?? type.toString() }];
}
