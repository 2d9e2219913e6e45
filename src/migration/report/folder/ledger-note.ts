/**
 * Exports the note of a run folder whose ledger is on a server: the address without a password, and the id of the ledger. Without the
 * note, the next command would start a second, empty ledger in the folder and send everything again.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readOwn } from '../../shared/regular-file.js';
import { writeWhole } from '../../shared/write-atomically.js';
import { RunFolderError } from './run-folder-error.js';

export const LEDGER_NOTE = 'ledger.json';

const NoteSchema = z.object({ id: z.string(), database: z.string(), schema: z.string() });

/** `id`: the id in the facts of the ledger. */
export type LedgerNote = z.infer<typeof NoteSchema>;

/** Resolves with the note; undefined if there is none. Rejects with a `RunFolderError` if it cannot be read. */
export async function readLedgerNote(folder: string): Promise<LedgerNote | undefined> {
  const path = join(folder, LEDGER_NOTE);
  try {
    return NoteSchema.parse(JSON.parse(await readOwn(path)));
  } catch (cause) {
    if (cause instanceof RunFolderError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const why = cause instanceof SyntaxError || cause instanceof z.ZodError ? 'is damaged' : 'cannot be read';
    throw new RunFolderError(
      `${path} ${why}: it has the address of the ledger. Restore it, or delete it and give --database.`,
      { cause },
    );
  }
}

/** Removes the note of a folder whose first command was refused. */
export async function removeLedgerNote(folder: string): Promise<void> {
  await rm(join(folder, LEDGER_NOTE), { force: true });
}

export async function writeLedgerNote(folder: string, note: LedgerNote): Promise<void> {
  await writeWhole([join(folder, LEDGER_NOTE)], ([write]) => write(`${JSON.stringify(note, null, 2)}\n`));
}
