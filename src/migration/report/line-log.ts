/** The lines that became no record, counted and kept on disk as they come: there may be as many of them as records. */
import { createReadStream, rmSync, writeFileSync } from 'node:fs';
import type { LineFinding } from '../run.js';
import { linesOf } from '../source/lines.js';
import type { SourceItem } from '../source/source.js';
import { cannotWrite } from './folder-error.js';
import { createLineTally, type LineCounts } from './lines.js';
import { lineOf, type SetAsideWriters } from './set-aside.js';

export interface LineLog {
  add(item: SourceItem, finding: LineFinding): void;
  counts(): LineCounts;
  /** Once: what was kept goes where it belongs. */
  moveTo(write: Pick<SetAsideWriters, 'rejected' | 'skipped'>): Promise<void>;
}

const BLOCK = 64 * 1024;

/** A line that holds no record has none of them. */
const NOBODY = { supplier: null, kind: null, number: null };

/** `path` is overwritten, once there is something to write: a run that goes on comes upon the same lines again. */
export function createLineLog(path: string): LineLog {
  const tally = createLineTally();
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
      const { as, code, attr, detail, key = NOBODY, taken } = finding;
      // Its record exists: there is nothing to feed back in.
      if (as === 'changed') return;
      const { source, line, hash, text: original } = item;
      const { supplier, kind, number } = key;
      const errors = [{ step: 'read' as const, code, attr, ...(detail !== undefined && { detail }) }];
      const found = { source, line, supplier, kind, number, errors, ...(taken !== undefined && { taken }) };
      block += `${as} ${lineOf({ ...found, hash, original })}`;
      if (block.length >= BLOCK) flush();
    },
    counts: tally.counts,
    async moveTo(write) {
      flush();
      for await (const lines of linesOf(createReadStream(path), Number.POSITIVE_INFINITY)) {
        for (const { bytes } of lines) {
          const [, as, entry] = /^(rejected|skipped) (.*)$/s.exec(bytes.toString()) ?? [];
          if (entry !== undefined) await write[as === 'rejected' ? 'rejected' : 'skipped'](`${entry}\n`);
        }
      }
      rmSync(path, { force: true });
    },
  };
}
