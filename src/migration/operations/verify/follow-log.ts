/** Exports `openStatusLog`, which stores the final import statuses found by `verify --follow`, so that the next command queries only the others. */
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
    async close() {},
  };
}

const Entry = z.tuple([z.string(), z.string(), z.string()]);

/** Rejects with a `RunFolderError` if the file cannot be written. Ignores an incomplete line after a crash. */
export async function openStatusLog(path: string): Promise<StatusLog> {
  const file = await openOwn(path, 'append').catch((error: unknown) => {
    throw cannotWrite(path, error);
  });
  // Begins a new line, because the last line of a killed command may be incomplete.
  let before = (await file.stat()).size > 0 ? '\n' : '';
  let writing: Promise<void> = Promise.resolve();
  return {
    async *read() {
      for await (const line of linesOfOwn(path)) {
        const { data: [supplier, number, status] = [] } = Entry.safeParse(jsonIn(line));
        if (supplier !== undefined && number !== undefined && status !== undefined) yield { supplier, number, status };
      }
    },
    add({ supplier, number, status }) {
      const text = `${before}${JSON.stringify([supplier, number, status])}\n`;
      before = '';
      writing = writing
        .then(() => file.appendFile(text))
        .catch((error: unknown) => {
          throw cannotWrite(path, error);
        });
      return writing;
    },
    close: () => file.close(),
  };
}
