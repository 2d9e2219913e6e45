/**
 * Exports `knownSources` and `expectSameRecords`: files, mapping and query as in the last session must give its records again, and a file as
 * it was must not get other numbers by another mapping. A mapping with `new Date()` gives others, and items that differ would be sent a
 * second time. No function here sends a request.
 */
import { hash as digest } from 'node:crypto';
import * as z from 'zod';
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { Input } from '../input/source.js';
import { isQuery, pathOf } from '../input/text/input-files.js';
import { isImported, type Ledger, type LedgerRecord, type RecordKey } from '../ledger/ledger.js';
import { fits, jsonFact } from '../ledger/stored-fact.js';
import { differingSteps, itemsIn } from '../record/items/item-states.js';
import { createHashSet } from '../shared/hash-set.js';
import { RunTargetError } from './expect-target.js';
import { isDiffering, isMet, newLines } from './input-against-ledger.js';
import type { Reading, RunContext } from './run-context.js';

/** Name of the ledger fact. */
const SOURCES = 'sources';

/** SHA-256 of a content in the last session, and the number of records in the ledger when it was first used: these have lines of another content. */
const ContentSchema = z.object({ sha256: z.string(), recordsBefore: z.number() });

/** By path. `whole`: of the file together with its mapping, or of all files of a query. */
const SourcesSchema = z.record(z.string(), ContentSchema.extend({ whole: ContentSchema.optional() }));

/** The files of an input whose records are computed. */
export interface KnownSources {
  /** By path: the file and its mapping, or the queries and their files, compute all records after this number of them. */
  same: ReadonlyMap<string, number>;
  /** By path: all records after this number of them are from the file as it is now, whatever mapping computed them. */
  content: ReadonlyMap<string, number>;
  /** Stores the hashes for the next session. Call it when the records were compared. */
  store(): Promise<void>;
}

/** Compares the files with those of the last session. Reads mapped files to their end. Call it before the input is read. */
export async function knownSources(ledger: Ledger, input: Input, areChangesAccepted: boolean): Promise<KnownSources> {
  const stored = (await jsonFact(ledger, SOURCES, fits(SourcesSchema))) ?? {};
  const { total } = await ledger.counts();
  const [same, content] = [new Map<string, number>(), new Map<string, number>()];
  const current = { ...stored };
  for (const { source, sha256, mapping: whole } of (await input.mappedContents?.()) ?? []) {
    const place = pathOf(source);
    const known = stored[place];
    const asBefore = (former: z.infer<typeof ContentSchema> | undefined, now: string | undefined) =>
      former !== undefined && former.sha256 === now ? former : { sha256: now ?? '', recordsBefore: total };
    const ofFile = asBefore(known, sha256);
    const isKnown = known?.sha256 === sha256 && !areChangesAccepted;
    const ofWhole = asBefore(isKnown ? known.whole : undefined, whole);
    current[place] = { ...ofFile, whole: ofWhole };
    content.set(place, ofFile.recordsBefore);
    same.set(place, ofWhole.recordsBefore);
  }
  return { same, content, store: () => ledger.setFact(SOURCES, JSON.stringify(current)) };
}

/** Rejects with a `RunTargetError` if the reading with this number has other records. */
export async function expectSameRecords(
  run: RunContext,
  reading: Reading,
  number: number,
  { same, content }: KnownSources,
): Promise<void> {
  if (same.size === 0 || reading.isNew) return;
  /** The rows of records that exist and that the reading has not met. */
  const lost = createHashSet();
  let isAnyLost = false;
  let position = 0;
  for await (const record of run.ledger.list()) {
    const place = pathOf(record.source);
    const isLost = !isMet(record, reading);
    const isOfSame = position >= (same.get(place) ?? Number.POSITIVE_INFINITY) && record.correctedFrom === null;
    if (isOfSame && (isLost || isDiffering(record, reading))) {
      const given = isLost ? undefined : await run.ledger.line(record);
      throw notGivenAgain(record, given?.record, isQuery(place) ? 'query' : 'mapping');
    }
    const isOfContent = position >= (content.get(place) ?? Number.POSITIVE_INFINITY) && !isQuery(place);
    if (isLost && isOfContent && mayExist(record)) isAnyLost = lost.add(hashOfRow(record)) || isAnyLost;
    position++;
  }
  if (!isAnyLost) return;
  for await (const line of newLines(run.ledger, number)) {
    if (!lost.has(hashOfRow(line))) continue;
    for await (const former of run.ledger.list()) {
      if (hashOfRow(former) !== hashOfRow(line) || isMet(former, reading) || !mayExist(former)) continue;
      throw new RunTargetError(
        `${line.source}:${line.line}: the ledger of the run in ${run.folder} has this row as ${inWords(former)}, and the mapping now makes ${inWords(line)} of it, which would be created a second time. ` +
          'Put the former mapping back, or give another folder with --run <folder> if the row shall be imported under both numbers.',
      );
    }
  }
}

/** `given`: what the reading has of the record. */
function notGivenAgain(record: LedgerRecord, given: ImportRecord | undefined, what: 'mapping' | 'query') {
  const place = what === 'query' ? record.source : `${record.source}:${record.line}`;
  const steps = given === undefined ? [] : differingSteps(record.items, itemsIn(given));
  const part = given === undefined ? '' : ` (${steps.length === 0 ? record.kind : steps.join(', ')})`;
  return new RunTargetError(
    `${place}: the ${what} no longer gives ${inWords(record)} as in the last session${part}, although ${FILES[what]} the same: ${CAUSES[what]}. ` +
      `Make the ${what} give the same each time, or accept other records with --changed-sources (changedSources of runMigration).`,
  );
}

const FILES = { mapping: 'file and mapping are', query: 'query and sources are' };

const CAUSES = {
  mapping: 'it uses the date, a random number, or a file or service that has changed',
  query: 'it uses the date, a random number, or a list without an order',
};

/** Whether the service may know the record, also as a staged account. Another one may get another number: no request was sent for it. */
function mayExist({ outcome, intent, done }: LedgerRecord): boolean {
  if (outcome === null) return intent !== null || (done !== null && done !== 'check');
  return isImported({ outcome }) || outcome === 'unknown';
}

function hashOfRow({ source, line }: { source: string; line: number }): string {
  return digest('sha256', `${line} ${pathOf(source)}`);
}

function inWords({ supplier, kind, number }: RecordKey): string {
  return `${kind} ${number} of ${supplier}`;
}
