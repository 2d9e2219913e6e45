/** Exports functions for document paths in payloads, which resolve to `<bucket>/<root><path>` (spec: Conventions; C7). */

import type { ErrorItem } from '../../../schemas/error-bodies.js';
import type { Account } from '../../../schemas/payloads/account.js';
import type { HistoricalStatement } from '../../../schemas/payloads/historical-statement.js';
import type { Note } from '../../../schemas/payloads/note.js';
import type { Call } from '../calls/call.js';
import type { DocumentReference, SupplierRecord } from '../state/sandbox-state.js';

/** A path in a payload, with its attr. */
export interface NamedPath {
  attr: string;
  path: string;
}

/** Returns a function that resolves the paths of a supplier. Documents are never fetched. */
export function locateIn(bucket: string, { root }: SupplierRecord): (path: string) => DocumentReference {
  return (path) => ({ path, location: `${bucket}/${root}${path}` });
}

export function referencesOf({ bucket }: Call<unknown>, supplier: SupplierRecord, paths: readonly NamedPath[]) {
  const locate = locateIn(bucket, supplier);
  return paths.map(({ path }) => locate(path));
}

/** U19: returns an error for each path without a registered document, if the setting refuses these. */
export function missingDocuments(
  { store, settings, bucket }: Call<unknown>,
  supplier: SupplierRecord,
  paths: readonly NamedPath[],
): ErrorItem[] {
  const locate = locateIn(bucket, supplier);
  const missing = paths.filter(({ path }) => !store.hasDocument(locate(path).location));
  if (missing.length === 0 || settings.missingDocuments === 'accept') return [];
  return missing.map(({ attr, path }) => ({
    detail: `No document is registered at ${locate(path).location}. Put it there: sandbox.registerDocuments(...).`,
    code: 'document_not_found',
    attr,
  }));
}

export function pathsOfAccount({ statements = [], notes = [] }: Account): NamedPath[] {
  return [...pathsOfStatements(statements), ...pathsOfNotes(notes)];
}

export function pathsOfStatements(statements: readonly Pick<HistoricalStatement, 'statement_path'>[]): NamedPath[] {
  const found: NamedPath[] = [];
  for (const [index, { statement_path: path }] of statements.entries()) {
    if (path !== undefined) found.push({ attr: `statements.${index}.statement_path`, path });
  }
  return found;
}

export function pathsOfNotes(notes: readonly Note[]): NamedPath[] {
  const found: NamedPath[] = [];
  for (const [note, { document_paths = [] }] of notes.entries()) {
    for (const [index, { document_path: path }] of document_paths.entries()) {
      found.push({ attr: `notes.${note}.document_paths.${index}.document_path`, path });
    }
  }
  return found;
}
