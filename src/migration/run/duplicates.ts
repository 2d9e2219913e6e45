/**
 * Exports functions for several lines with one number: the first one is sent, each further one is reported with the place of the
 * first. `duplicate_record`: the same content. `contradicting_record`: other content.
 */
import { hash as digest } from 'node:crypto';
import { idOf } from '../ledger/ledger.js';
import { DUPLICATE_RECORD } from '../report/summary/line-counts.js';
import { noteOfDigests } from '../shared/digests.js';
import { placeInWords } from '../shared/place.js';
import { type InputPass, lineReporter, type Reading, type ReadLine } from './input-pass.js';

/** Returns whether an earlier line of this reading with the number has the same content; undefined if there is none. */
export function hasEarlierLine({ key, contentHash }: ReadLine, { seenKeys }: Reading): boolean | undefined {
  const id = digest('sha256', idOf(key));
  const note = noteOfDigests(contentHash);
  return seenKeys.add(id, note) ? undefined : seenKeys.noteOf(id) === note;
}

/** Reports a line whose number another line has, with the place of that line. */
export async function reportDuplicate({ item, key }: ReadLine, isSame: boolean, pass: InputPass): Promise<void> {
  const { supplier, kind, number } = key;
  const { ledger } = pass.run;
  // undefined if the record was not started.
  const taken = pass.items.get(idOf(key)) ?? (await ledger.line(key)) ?? (await ledger.find(key));
  lineReporter(
    item,
    pass,
  )({
    as: 'skipped',
    code: isSame ? DUPLICATE_RECORD : 'contradicting_record',
    attr: '',
    key: { supplier, kind, number },
    ...(taken !== undefined && {
      taken: { source: taken.source, line: taken.line },
      detail: `${placeInWords(taken)} was taken.`,
    }),
  });
}
