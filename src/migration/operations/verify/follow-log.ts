/** Exports `openStatusLog`, which stores the final import statuses found by `verify --follow`, so that the next command queries only the others. */
import type { FileHandle } from 'node:fs/promises';
import { splitLines } from '../../input/text/split-lines.js';
import { cannotRead, cannotWrite } from '../../report/folder/run-folder-error.js';
import { openOwn, streamOwn } from '../../shared/regular-file.js';

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
      try {
        for await (const lines of splitLines(await streamOwn(path), Number.POSITIVE_INFINITY)) {
          for (const { bytes } of lines) {
            const found = statusIn(bytes.toString());
            if (found !== undefined) yield found;
          }
        }
      } catch (error) {
        throw cannotRead(path, error);
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

function statusIn(text: string): FoundStatus | undefined {
  try {
    const found: unknown = JSON.parse(text);
    if (!Array.isArray(found) || found.length !== 3 || !found.every((part) => typeof part === 'string'))
      return undefined;
    const [supplier, number, status] = found as [string, string, string];
    return { supplier, number, status };
  } catch {
    return undefined;
  }
}
