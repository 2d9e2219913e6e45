/**
 * Exports `expectSameSources`: a query whose text or files changed since an earlier session may return other account numbers for the
 * same customers, which would create them a second time. Sends no request.
 */
import { resolve } from 'node:path';
import * as z from 'zod';
import type { Input } from '../input/source.js';
import type { Ledger } from '../ledger/ledger.js';
import { fits, jsonFact } from '../ledger/stored-fact.js';
import { expectSameRecords } from './expect-same-records.js';
import { RunTargetError } from './expect-target.js';

/** Name of the fact. */
const QUERY_FILES = 'query files';

/** SHA-256 by path, of the files of all queries of the run, and the number of records in the ledger when all of them were first used. */
const QueryFilesSchema = z.object({ sha256: z.record(z.string(), z.string()), recordsBefore: z.number() });

export interface ChangedSourcesOptions {
  /** The run folder, for messages. */
  folder: string;
  /** Whether changed files are accepted. */
  areChangesAccepted: boolean;
}

/**
 * Rejects with a `RunTargetError` if the ledger has records, and a file of a query is not the one of the last session, or the same files
 * give other records.
 */
export async function expectSameSources(ledger: Ledger, input: Input, options: ChangedSourcesOptions): Promise<void> {
  const contents = input.queryContents?.() ?? [];
  if (contents.length === 0) return;
  const stored = (await jsonFact(ledger, QUERY_FILES, fits(QueryFilesSchema))) ?? { sha256: {}, recordsBefore: 0 };
  const changed = contents.filter(({ source, sha256 }) => (stored.sha256[resolve(source)] ?? sha256) !== sha256);
  const { total } = await ledger.counts();
  if (changed.length > 0 && !options.areChangesAccepted && total > 0) {
    const names = [...new Set(changed.map(({ source }) => source))].join(', ');
    throw new RunTargetError(
      `${names}: changed since the last session of the run in ${options.folder}. An account that exists would be created again if its number changed. ` +
        'Restore the files, or accept the changes with --changed-sources (changedSources of runMigration).',
    );
  }
  const recordsBefore = changed.length > 0 || options.areChangesAccepted ? total : stored.recordsBefore;
  const since = new Map(contents.map(({ source }) => [resolve(source), recordsBefore]));
  await expectSameRecords(ledger, input, { since, placeOf: resolve, computedBy: 'query' });
  const current = Object.fromEntries(contents.map(({ source, sha256 }) => [resolve(source), sha256]));
  const sha256 = { ...stored.sha256, ...current };
  await ledger.setFact(QUERY_FILES, JSON.stringify({ sha256, recordsBefore }));
}
