/**
 * A life that does not read the whole book, or mended lines only, does not come upon all lines that held no record. They
 * are not in the ledger either, so they are taken over from the files of the life before.
 */
import type { LineFinding } from '../run.js';
import { recordIn } from '../source/record.js';
import type { RunFolder } from './folder.js';
import { type FormerLine, formerLines } from './set-aside.js';

/** `isGone`: those that this life has told of anew, or that are records now. */
export async function keepFormerLines({ at, lines }: RunFolder, isGone: (line: FormerLine) => boolean): Promise<void> {
  for (const as of ['rejected', 'skipped'] as const) {
    for await (const former of formerLines(at(`${as}.jsonl`))) {
      if (isGone(former)) continue;
      const { source, line, hash, errors, original: text, supplier, kind, number, taken } = former;
      const [{ code, attr, detail } = { code: '', attr: '' }] = errors;
      const finding: LineFinding = { as, code, attr, ...(detail !== undefined && { detail }) };
      if (supplier !== null && kind !== null && number !== null) finding.key = { supplier, kind, number };
      if (taken !== undefined) finding.taken = taken;
      lines.add({ source, line, hash, text, read: () => recordIn(text) }, finding);
    }
  }
}
