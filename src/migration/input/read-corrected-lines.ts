/**
 * Exports `readCorrectedLines`: the corrected lines for `retry`. Each is a plain record, a record quoted as JSON text, or an entry of
 * rejected.jsonl and the like whose `original` was corrected. `original` may be the line as text, or the record itself, which is
 * easier to edit.
 */
import * as z from 'zod';
import { parseJson } from '../../validation/parse-json.js';
import type { Ledger } from '../ledger/ledger.js';
import { keyedRecord } from '../record/record-key.js';
import type { Input, InputLine } from './source.js';
import { textItem } from './text/parse-record.js';

const Entry = z.looseObject({
  source: z.string(),
  line: z.number().int(),
  number: z.string().nullable(),
  hash: z.string(),
  errors: z.array(z.looseObject({ step: z.unknown() })),
  original: z.union([z.string(), z.record(z.string(), z.unknown())]),
});

/** Identifies a line: two lines may have the same content at different places. */
type EarlierPlace = Pick<InputLine, 'source' | 'line' | 'hash'>;

const idOf = ({ source, line, hash }: EarlierPlace): string => JSON.stringify([source, line, hash]);

export function readCorrectedLines(input: Input) {
  async function* items(): AsyncGenerator<InputLine> {
    for await (const item of input) {
      const entry = entryIn(item);
      if (entry === undefined) {
        yield unquoted(item);
        continue;
      }
      const { source, line, original } = entry;
      // With its place in the original input, because users look for it there.
      const corrected = textItem(source, line, typeof original === 'string' ? original : JSON.stringify(original));
      // Includes a line that was skipped because another line has its number: the corrected line may have a new
      // number.
      if (entry.number === null || entry.errors[0]?.step === 'read') corrected.corrects = entry.hash;
      yield corrected;
    }
  }
  return {
    [Symbol.asyncIterator]: items,
    /** Resolves with a function that returns whether a line, as it was before its correction, is already a record of the ledger. */
    async becameRecords(ledger: Ledger): Promise<(line: EarlierPlace) => boolean> {
      const found = new Set<string>();
      for await (const item of items()) {
        const former = item.corrects;
        // A second line of a record remains a duplicate, corrected or not.
        if (former === undefined || former === item.hash) continue;
        const { key } = keyedRecord(item) ?? {};
        const record = key && (await ledger.find(key));
        if (record?.hash === item.hash && record.source === item.source && record.line === item.line) {
          found.add(idOf({ source: item.source, line: item.line, hash: former }));
        }
      }
      return (line) => found.has(idOf(line));
    },
  };
}

/** An entry of rejected.jsonl and the like. */
export type CorrectedEntry = z.infer<typeof Entry>;

/** Returns the entry in a line; undefined if it is none. */
export function entryIn({ text }: Pick<InputLine, 'text'>): CorrectedEntry | undefined {
  return Entry.safeParse(parsed(text)).data;
}

/** Returns the line that is quoted as JSON text, as `jq .original` prints it. */
function unquoted(item: InputLine): InputLine {
  const { source, line } = item;
  const quoted = item.text.startsWith('"') ? parsed(item.text) : undefined;
  return typeof quoted === 'string' ? textItem(source, line, quoted) : item;
}

/** Returns the value of a JSON text of a user; undefined for another text, and for one that `parseJson` refuses. */
export function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
