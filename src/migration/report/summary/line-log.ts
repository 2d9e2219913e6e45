/** Exports `createLineLog`, which counts the lines without a separate record and stores them on disk: there may be millions. */
import { hash as digest } from 'node:crypto';
import { closeSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { InputLine } from '../../input/source.js';
import { type ItemStep, idOf, type RecordKey } from '../../ledger/ledger.js';
import { hasOtherCustomer, pathsOf } from '../../record/changed-and-removed.js';
import { unsentSteps } from '../../record/items/item-states.js';
import { partOf } from '../../record/items/items.js';
import type { LineFinding } from '../../run/run-context.js';
import { number } from '../../shared/format.js';
import { createHashSet } from '../../shared/hash-set.js';
import { linesOfOwn, openOwnSync } from '../../shared/regular-file.js';
import { cannotWrite } from '../folder/run-folder-error.js';
import { earlierLineIn, lineOf, reportedIn } from '../result-files/rejected-and-missing-lines.js';
import { createLineTally } from './line-counts.js';

/** The files of the lines. `changed`: lines whose record exists, and was made of other content. */
type As = 'rejected' | 'skipped' | 'incomplete' | 'changed';

/** Note of a record whose changed line has items that were not sent. */
const HAS_UNSENT_ITEMS = 1;

const BLOCK = 64 * 1024;

/** Unreadable lines that are listed: a line of two bytes takes 700 in the result files, and a compressed file has millions of them. */
const MOST_UNREADABLE = 10_000;

/** The key of a line without a record. */
const NO_KEY = { supplier: null, kind: null, number: null };

/** Returns the steps that would send the unsent items of a changed line: none, if these are of another customer. */
function unsentOf({ record, items, difference }: NonNullable<LineFinding['change']>): ItemStep[] {
  if (hasOtherCustomer({ contentHash: record.contentHash, difference })) return [];
  return unsentSteps(record.items, items);
}

function idHash(key: RecordKey): string {
  return digest('sha256', idOf(key));
}

/**
 * Returns a log at `path`. The first entry replaces the file: a resumed run reports the same lines again. `keptPath`: where the lines of a
 * reading are kept.
 */
export function createLineLog(path: string, keptPath: string) {
  const tally = createLineTally();
  const changed = createHashSet();
  let block = '';
  let how: 'overwrite' | 'append' = 'overwrite';
  let unreadable = 0;
  let [hasLabel, hasKept] = [false, false];
  /** The first unreadable line that is not listed, and the number of all of them. */
  let further: { item: InputLine; count: number } | undefined;
  const flush = () => {
    try {
      const file = openOwnSync(path, how);
      try {
        writeFileSync(file, block);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      throw cannotWrite(path, error);
    }
    block = '';
    how = 'append';
  };
  return {
    add(item: InputLine, finding: LineFinding): void {
      tally.add(item, finding);
      const { as, code, attr, detail, key, taken, change, count } = finding;
      if (as === 'corrected' || as === 'accepted') return;
      if (as === 'rejected' && key === undefined && (count !== undefined || ++unreadable > MOST_UNREADABLE)) {
        further ??= { item, count: 0 };
        further.count += count ?? 1;
        return;
      }
      const { source, line, hash, text: original } = item;
      if (item.label !== undefined) hasLabel = true;
      const { supplier, kind, number } = key ?? NO_KEY;
      const of = { source, line, supplier, kind, number };
      const errors = [{ step: 'read' as const, code, attr, ...(detail !== undefined && { detail }) }];
      if (as !== 'changed') {
        block += `${as} ${lineOf({ ...of, errors, ...(taken !== undefined && { taken }), hash, original })}`;
      } else if (key !== undefined) {
        const unsent = change === undefined ? [] : unsentOf(change);
        if (change !== undefined) changed.add(idHash(key), unsent.length === 0 ? 0 : HAS_UNSENT_ITEMS);
        const ofItems = unsent.map((step) => ({ step, code, attr: partOf(step) }));
        const found = { ...of, errors: unsent.length === 0 ? errors : ofItems, hash, original };
        const more = change === undefined ? { ofRetry: true as const } : pathsOf(change.difference);
        const entry = lineOf({ ...found, ...more });
        block += `changed ${entry}`;
        if (unsent.length > 0) block += `incomplete ${entry}`;
      }
      if (block.length >= BLOCK) flush();
    },
    counts: tally.counts,
    /** Returns whether there is a changed line of the record. */
    hasChanged: (key: RecordKey) => changed.has(idHash(key)),
    /** Returns whether that line has items that were not sent. */
    hasUnsentItems: (key: RecordKey) => changed.noteOf(idHash(key)) === HAS_UNSENT_ITEMS,
    /**
     * Keeps the lines of a reading, so that later sessions need not read the input again to report them. Returns false if they cannot report
     * them as this one does.
     */
    keep(): boolean {
      // The items of lines that are not listed were counted when they were read.
      if (further !== undefined || hasLabel) return false;
      flush();
      renameSync(path, keptPath);
      how = 'overwrite';
      hasKept = true;
      return true;
    },
    /** Adds the kept lines, and calls `onLine` with each. Resolves with false, and adds none, if they are not as many. */
    async addKept(count: number, onLine?: (item: InputLine, finding: LineFinding) => void): Promise<boolean> {
      let found = 0;
      for await (const { entry } of entriesIn(keptPath)) if (earlierLineIn(entry) !== undefined) found++;
      if (found !== count) return false;
      hasKept = true;
      for await (const { as, entry } of entriesIn(keptPath)) {
        const former = earlierLineIn(entry);
        if (former === undefined || (as !== 'rejected' && as !== 'skipped')) continue;
        const reported = reportedIn(as, former);
        tally.add(...reported);
        onLine?.(...reported);
      }
      return true;
    },
    dropKept: () => rmSync(keptPath, { force: true }),
    /** Copies the lines to their files. Call it once. */
    async moveTo(write: Record<As, (text: string) => Promise<void>>): Promise<void> {
      if (further !== undefined) block += `rejected ${furtherLines(further)}`;
      flush();
      for (const from of hasKept ? [keptPath, path] : [path]) {
        for await (const { as, entry } of entriesIn(from)) await write[as](`${entry}\n`);
      }
      rmSync(path, { force: true });
    },
  };
}

async function* entriesIn(path: string): AsyncGenerator<{ as: As; entry: string }> {
  for await (const text of linesOfOwn(path)) {
    const [, as, entry] = /^(rejected|skipped|incomplete|changed) (.*)$/s.exec(text) ?? [];
    if (entry !== undefined) yield { as: as as As, entry };
  }
}

function furtherLines({ item: { source, line, hash }, count }: { item: InputLine; count: number }): string {
  const detail = `${number(count)} further lines, from this one on`;
  const errors = [{ step: 'read' as const, code: 'further_lines', attr: '', detail }];
  return lineOf({ source, line, ...NO_KEY, errors, further: count, hash, original: null });
}
