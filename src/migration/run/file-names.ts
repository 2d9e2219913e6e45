/**
 * Exports `fileNamesOf`: the names that the files of the input had. An export often has another name each day, and the ledger keeps the place
 * where the line of a record was read first.
 */
import * as z from 'zod';
import type { Ledger } from '../ledger/ledger.js';
import { fits, jsonFact } from '../ledger/stored-fact.js';

/** Name of the ledger fact: by each former name of a file, the one that it has now. */
const NAMES = 'names of files';

export type FileNames = Awaited<ReturnType<typeof fileNamesOf>>;

export async function fileNamesOf(ledger: Ledger) {
  const names = new Map(Object.entries((await jsonFact(ledger, NAMES, fits(z.record(z.string(), z.string())))) ?? {}));
  /** By the last known name, how many lines of known records this session has read from which files. */
  const met = new Map<string, Map<string, number>>();
  const last = (source: string): string => names.get(source) ?? source;
  return {
    /** Returns the last known name of a file. */
    last,
    /** Adds a record: the file that the ledger has for its line, and the one that this session has read it from. */
    add(source: string, now: string): void {
      const from = met.get(last(source)) ?? new Map<string, number>();
      met.set(last(source), from.set(now, (from.get(now) ?? 0) + 1));
    },
    /** Returns how many records of the file were read, from any file. */
    metIn: (source: string): number =>
      [...(met.get(last(source))?.values() ?? [])].reduce((sum, count) => sum + count, 0),
    /** Stores, for the next session, the new names of files that `isRenamed`: each is that of the file with most of the records. */
    async store(isRenamed: (source: string) => boolean): Promise<void> {
      const renamed = new Map<string, string>();
      for (const [source, from] of met) {
        const [now] = [...from].reduce((most, one) => (one[1] > most[1] ? one : most));
        if (!from.has(source) && isRenamed(source)) renamed.set(source, now);
      }
      if (renamed.size === 0) return;
      const next = [...names.keys(), ...renamed.keys()].map((name) => [name, renamed.get(last(name)) ?? last(name)]);
      await ledger.setFact(NAMES, JSON.stringify(Object.fromEntries(next.filter(([name, now]) => name !== now))));
    },
  };
}
