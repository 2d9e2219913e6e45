/**
 * Exports `fileNamesOf`: the names that the files of the input had. An export often has another name each day, and the ledger keeps the place
 * where the line of a record was read first.
 */
import * as z from 'zod';
import { pathOf } from '../input/text/input-files.js';
import type { Ledger, RecordKey } from '../ledger/ledger.js';
import { fits, jsonFact } from '../ledger/stored-fact.js';
import { hashOfKey } from '../record/record-key.js';
import { createHashSet } from '../shared/hash-set.js';

/** Name of the ledger fact: by each former name of a file, the one that it has now. */
const NAMES = 'names of files';

export type FileNames = Awaited<ReturnType<typeof fileNamesOf>>;

export async function fileNamesOf(ledger: Ledger) {
  const names = new Map(Object.entries((await jsonFact(ledger, NAMES, fits(z.record(z.string(), z.string())))) ?? {}));
  /** By the last known name, how many lines of known records this session has read from which files. */
  const met = new Map<string, Map<string, number>>();
  const last = (source: string): string => names.get(source) ?? source;
  /** Of each record that was read from another file than before, the number of the file in `files`, and the line. */
  const [movedTo, lines] = [createHashSet(), createHashSet()];
  const files: string[] = [];
  return {
    /** Returns the last known name of a file. */
    last,
    /** Adds a record: the file that the ledger has for its line, and the place where this session has read it. */
    add(key: RecordKey, source: string, now: { source: string; line: number }): void {
      const from = met.get(last(source)) ?? new Map<string, number>();
      met.set(last(source), from.set(now.source, (from.get(now.source) ?? 0) + 1));
      if (pathOf(last(source)) === pathOf(now.source)) return;
      if (files.at(-1) !== now.source) files.push(now.source);
      movedTo.add(hashOfKey(key), files.length);
      lines.add(hashOfKey(key), now.line);
    },
    /** Returns how many records of the file were read, from any file. */
    metIn: (source: string): number =>
      [...(met.get(last(source))?.values() ?? [])].reduce((sum, count) => sum + count, 0),
    /**
     * Stores, for the next session, the new names of files that `isRenamed`: each is that of the file with most of the records. A file that
     * `isRead` keeps its name. Returns a function that returns the place of a record that another file has
     * now; undefined if no record has moved.
     */
    async store(isRenamed: (source: string) => boolean, isRead: (source: string) => boolean) {
      const renamed = new Map<string, string>();
      for (const [source, from] of met) {
        const [now] = [...from].reduce((most, one) => (one[1] > most[1] ? one : most));
        const isKept = from.has(source) || (isRead(source) && pathOf(source) !== pathOf(now));
        if (!isKept && isRenamed(source)) renamed.set(source, now);
      }
      const nameNow = (source: string) => renamed.get(last(source)) ?? last(source);
      if (renamed.size > 0) {
        const next = [...names.keys(), ...renamed.keys()].map((name) => [name, nameNow(name)]);
        await ledger.setFact(NAMES, JSON.stringify(Object.fromEntries(next.filter(([name, now]) => name !== now))));
      }
      const isGone = (source: string) => isRead(source) || isRenamed(source);
      const isAnyMoved = [...met].some(
        ([source, from]) => isGone(source) && [...from.keys()].some((now) => pathOf(now) !== pathOf(nameNow(source))),
      );
      if (!isAnyMoved) return undefined;
      return (record: RecordKey & { source: string }): { source: string; line: number } | undefined => {
        const source = files[(movedTo.noteOf(hashOfKey(record)) ?? 0) - 1];
        const isMoved = source !== undefined && isGone(last(record.source));
        if (!isMoved || pathOf(source) === pathOf(nameNow(record.source))) return undefined;
        return { source, line: lines.noteOf(hashOfKey(record)) ?? 0 };
      };
    },
  };
}
