/** Exports `lastReading` and `storeLastReading`: a session whose files are as they were when they were read last need not read them again. */
import * as z from 'zod';
import type { Ledger } from '../ledger/ledger.js';
import { fits, jsonFact } from '../ledger/stored-fact.js';

/** Name of the fact; an empty text if the last reading was of another input, or ended early. */
const LAST_READING = 'last reading';

const LastReadingSchema = z.object({
  /** `identity` of the input before it was read. */
  files: z.string(),
  /** Number of the reading. 0 if it reported lines that were not kept, so that the next session reads them again. */
  number: z.number(),
  /** Number of the lines that it reported. */
  reported: z.number(),
  /** Number of lines of the input. */
  lines: z.number(),
});

export type LastReading = z.infer<typeof LastReadingSchema>;

/** Resolves with the last reading of the whole input, if it read these files; undefined if it read others. */
export async function lastReading(
  ledger: Pick<Ledger, 'fact'>,
  files: string | undefined,
): Promise<LastReading | undefined> {
  const last = files === undefined ? undefined : await jsonFact(ledger, LAST_READING, fits(LastReadingSchema));
  return last?.files === files ? last : undefined;
}

export async function storeLastReading(
  ledger: Pick<Ledger, 'setFact'>,
  reading: LastReading | undefined,
): Promise<void> {
  await ledger.setFact(LAST_READING, reading === undefined ? '' : JSON.stringify(reading));
}
