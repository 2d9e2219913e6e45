/**
 * A life that reads mended lines only does not come upon the lines that held no record when the whole book was read.
 * They are still not in the ledger, so they are taken over from the files of the life before.
 */
import { recordIn } from '../source/record.js';
import type { RunFolder } from './folder.js';
import { formerLines } from './set-aside.js';

/** `became` are the hashes of those that are records now. */
export async function keepFormerLines({ at, lines }: RunFolder, became: ReadonlySet<string>): Promise<void> {
  for (const as of ['rejected', 'skipped'] as const) {
    for await (const { source, line, hash, errors, original: text } of formerLines(at(`${as}.jsonl`))) {
      const [{ code, attr, detail } = { code: '', attr: '' }] = errors;
      if (became.has(hash)) continue;
      const finding = { as, code, attr, ...(detail !== undefined && { detail }) };
      lines.add({ source, line, hash, text, read: () => recordIn(text) }, finding);
    }
  }
}
