/**
 * Exports `expectSameSources`: the query and the files of the last session must give its records again. Those of a query or files that have
 * changed are compared as any changed input: `expectNotRenumbered`. Sends no request.
 */
import { resolve } from 'node:path';
import * as z from 'zod';
import type { Input } from '../input/source.js';
import type { Ledger } from '../ledger/ledger.js';
import { fits, jsonFact } from '../ledger/stored-fact.js';
import { expectSameRecords } from './expect-same-records.js';

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

/** Rejects with a `RunTargetError` if the same query and files give other records, unless `areChangesAccepted`. */
export async function expectSameSources(ledger: Ledger, input: Input, options: ChangedSourcesOptions): Promise<void> {
  const contents = input.queryContents?.() ?? [];
  if (contents.length === 0) return;
  const stored = (await jsonFact(ledger, QUERY_FILES, fits(QueryFilesSchema))) ?? { sha256: {}, recordsBefore: 0 };
  const isChanged = contents.some(({ source, sha256 }) => (stored.sha256[resolve(source)] ?? sha256) !== sha256);
  const { total } = await ledger.counts();
  const recordsBefore = isChanged || options.areChangesAccepted ? total : stored.recordsBefore;
  const since = new Map(contents.map(({ source }) => [resolve(source), recordsBefore]));
  await expectSameRecords(ledger, input, { since, placeOf: resolve, computedBy: 'query' });
  const current = Object.fromEntries(contents.map(({ source, sha256 }) => [resolve(source), sha256]));
  const sha256 = { ...stored.sha256, ...current };
  await ledger.setFact(QUERY_FILES, JSON.stringify({ sha256, recordsBefore }));
}
