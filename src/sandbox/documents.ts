/** Where the documents that a payload refers to are said to lie: `<bucket>/<root><path>` (document: Conventions; C7). */
import type { Account } from '../../schemas/account.js';
import type { HistoricalStatement } from '../../schemas/historical-statement.js';
import type { Note } from '../../schemas/note.js';
import type { DocumentReference, SupplierRecord } from './state.js';

type Locate = (paths: readonly string[]) => DocumentReference[];

/** Paths are recorded as they are and never fetched (U19). */
export function locateIn(bucket: string, supplier: SupplierRecord): Locate {
  return (paths) => paths.map((path) => ({ path, location: `${bucket}/${supplier.root}${path}` }));
}

export function pathsOfAccount({ statements = [], notes = [] }: Account): string[] {
  return [...pathsOfStatements(statements), ...pathsOfNotes(notes)];
}

export function pathsOfStatements(statements: readonly Pick<HistoricalStatement, 'statement_path'>[]): string[] {
  return statements.flatMap(({ statement_path }) => (statement_path === undefined ? [] : [statement_path]));
}

export function pathsOfNotes(notes: readonly Note[]): string[] {
  return notes.flatMap(({ document_paths = [] }) => document_paths.map(({ document_path }) => document_path));
}
