/** The lines of a book that became no record of their own: how many, and why. */
import { basename } from 'node:path';
import type { LineFinding } from '../run.js';
import type { SourceItem } from '../source/source.js';
import { createGroups, type ErrorGroup } from './groups.js';

export interface LineCounts {
  /** They hold no record. */
  rejected: number;
  /** Another record has their number. */
  skipped: number;
  /** Their record exists, and was made of another payload. */
  changed: number;
  groups: ErrorGroup[];
  /** Up to three of the changed ones, as `file:line`. */
  changedSamples: string[];
}

export interface LineTally {
  add(item: SourceItem, finding: LineFinding): void;
  counts(): LineCounts;
}

const MOST_SAMPLES = 3;

export function createLineTally(): LineTally {
  const counts = { rejected: 0, skipped: 0, changed: 0 };
  const groups = createGroups();
  const changedSamples: string[] = [];
  return {
    add({ source, line }, { as, code, attr, detail }) {
      counts[as]++;
      const place = `${basename(source)}:${line}`;
      if (as !== 'changed') groups.add(place, [{ step: 'read', code, attr, detail }]);
      else if (changedSamples.length < MOST_SAMPLES) changedSamples.push(place);
    },
    counts: () => ({ ...counts, groups: groups.list(), changedSamples: [...changedSamples] }),
  };
}
