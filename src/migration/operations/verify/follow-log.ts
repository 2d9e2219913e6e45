/** Exports `openStatusLog`, which stores the final import statuses found by `verify --follow`, so that the next command queries only the others. */
import type { FileHandle } from 'node:fs/promises';
import * as z from 'zod';
import { cannotWrite } from '../../report/folder/run-folder-error.js';
import { jsonIn, linesOfOwn, openOwn } from '../../shared/regular-file.js';

interface FoundStatus {
  supplier: string;
  /** External account number. */
  number: string;
  /** A status of the specification, or for an account that had a final status before, for example `notFound`. */
  status: string;
}

export interface StatusLog {
  /** Yields the statuses in the order of finding. For each account the last one counts. */
  read(): AsyncIterable<FoundStatus>;
  add(found: FoundStatus): Promise<void>;
  /** Writes the buffered statuses. A killed command loses up to a hundred, which the next one queries again. */
  save(): Promise<void>;
  close(): Promise<void>;
}

/** Returns a log in memory, for a run without a folder on this machine. */
export function memoryStatusLog(): StatusLog {
  const found: FoundStatus[] = [];
  return {
    async *read() {
      yield* found;
    },
    async add(one) {
      found.push(one);
    },
    async save() {},
    async close() {},
  };
}

const MOST_HELD = 100;

const Entry = z.tuple([z.string(), z.string(), z.string()]);

/** Rejects with a `RunFolderError` if the file cannot be written. Ignores an incomplete line after a crash. */
export async function openStatusLog(path: string): Promise<StatusLog> {
  let file: FileHandle;
  try {
    file = await openOwn(path, 'append');
  } catch (error) {
    throw cannotWrite(path, error);
  }
  // Begins a new line, because the last line of a killed command may be incomplete.
  let held: string[] = (await file.stat()).size > 0 ? ['\n'] : [];
  let writing: Promise<void> = Promise.resolve();
  const save = (): Promise<void> => {
    const text = held.join('');
    held = [];
    if (text !== '') {
      writing = writing
        .then(() => file.appendFile(text))
        .catch((error: unknown) => {
          throw cannotWrite(path, error);
        });
    }
    return writing;
  };
  return {
    async *read() {
      await save();
      for await (const line of linesOfOwn(path)) {
        const { data: [supplier, number, status] = [] } = Entry.safeParse(jsonIn(line));
        if (supplier !== undefined && number !== undefined && status !== undefined) yield { supplier, number, status };
      }
    },
    async add({ supplier, number, status }) {
      held.push(`${JSON.stringify([supplier, number, status])}\n`);
      if (held.length >= MOST_HELD) await save();
    },
    save,
    async close() {
      await save();
      await file.close();
    },
  };
}
