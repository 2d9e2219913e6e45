/** The lines that became no record, counted and kept on disk as they come: there may be as many of them as records. */
import { hash as digest } from 'node:crypto';
import { createReadStream, rmSync, writeFileSync } from 'node:fs';
import { createHashSet } from '../hash-set.js';
import { partOf } from '../items.js';
import type { RecordKey } from '../ledger/ledger.js';
import { idOf } from '../ledger/record-id.js';
import type { LineFinding } from '../run.js';
import { linesOf } from '../source/lines.js';
import type { SourceItem } from '../source/source.js';
import { cannotWrite } from './folder-error.js';
import { createLineTally, type LineCounts, unsentSteps } from './lines.js';
import { lineOf, type SetAsideWriters } from './set-aside.js';

export interface LineLog {
  add(item: SourceItem, finding: LineFinding): void;
  counts(): LineCounts;
  /** Whether a changed line of the record was kept, with its items that were not sent. */
  hasChanged(key: RecordKey): boolean;
  /** Once: what was kept goes where it belongs. */
  moveTo(write: Omit<SetAsideWriters, 'notInInput'>): Promise<void>;
}

const BLOCK = 64 * 1024;

/** A line that holds no record has none of them. */
const NOBODY = { supplier: null, kind: null, number: null };

function idHash(key: RecordKey): string {
  return digest('sha256', idOf(key));
}

/** `path` is overwritten, once there is something to write: a run that goes on comes upon the same lines again. */
export function createLineLog(path: string): LineLog {
  const tally = createLineTally();
  const changed = createHashSet();
  let block = '';
  let flag = 'w';
  const flush = () => {
    try {
      writeFileSync(path, block, { flag, mode: 0o600 });
    } catch (error) {
      throw cannotWrite(path, error);
    }
    block = '';
    flag = 'a';
  };
  return {
    add(item, finding) {
      tally.add(item, finding);
      const { as, code, attr, detail, key = NOBODY, taken, change } = finding;
      const { source, line, hash, text: original } = item;
      if (as !== 'changed') {
        const { supplier, kind, number } = key;
        const errors = [{ step: 'read' as const, code, attr, ...(detail !== undefined && { detail }) }];
        const found = { source, line, supplier, kind, number, errors, ...(taken !== undefined && { taken }) };
        block += `${as} ${lineOf({ ...found, hash, original })}`;
      } else if (change !== undefined && unsentSteps(change).length > 0) {
        const { supplier, kind, number } = change.record;
        changed.add(idHash(change.record));
        const errors = unsentSteps(change).map((step) => ({ step, code, attr: partOf(step) }));
        block += `incomplete ${lineOf({ source, line, supplier, kind, number, errors, hash, original })}`;
      }
      if (block.length >= BLOCK) flush();
    },
    counts: tally.counts,
    hasChanged: (key) => changed.has(idHash(key)),
    async moveTo(write) {
      flush();
      for await (const lines of linesOf(createReadStream(path), Number.POSITIVE_INFINITY)) {
        for (const { bytes } of lines) {
          const [, as, entry] = /^(rejected|skipped|incomplete) (.*)$/s.exec(bytes.toString()) ?? [];
          if (entry !== undefined) await write[as as 'rejected' | 'skipped' | 'incomplete'](`${entry}\n`);
        }
      }
      rmSync(path, { force: true });
    },
  };
}
