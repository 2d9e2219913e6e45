/**
 * The note of a run folder whose ledger is on a server: its address without a password, and its identity. Without the
 * note the next command on the folder would begin a second, empty ledger and send everything again.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { readOwn } from '../../shared/regular-file.js';
import { writeWhole } from '../../shared/write-atomically.js';
import { cannotRead, RunFolderError } from './run-folder-error.js';

const LEDGER_NOTE = 'ledger.json';

const NoteSchema = z.object({ id: z.string(), database: z.string(), schema: z.string() });

/** `id`: the name that the ledger has given itself. */
export type LedgerNote = z.infer<typeof NoteSchema>;

/** undefined where there is none. Rejects with a `RunFolderError` where it cannot be read. */
export async function readLedgerNote(folder: string): Promise<LedgerNote | undefined> {
  const path = join(folder, LEDGER_NOTE);
  try {
    return NoteSchema.parse(JSON.parse(await readOwn(path)));
  } catch (cause) {
    if (cause instanceof RunFolderError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'EACCES' || code === 'EPERM') throw cannotRead(path, cause);
    const why =
      cause instanceof SyntaxError || cause instanceof z.ZodError ? 'is not as a run wrote it' : 'cannot be read';
    throw new RunFolderError(
      `${path} ${why}: it says where the ledger of the run is. Put it back, or delete it and give --database.`,
      { cause },
    );
  }
}

export async function writeLedgerNote(folder: string, note: LedgerNote): Promise<void> {
  await writeWhole([join(folder, LEDGER_NOTE)], ([write]) => write(`${JSON.stringify(note, null, 2)}\n`));
}
