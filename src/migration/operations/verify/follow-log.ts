/** `openStatusLog`: the final import statuses that `verify --follow` has found, so that the next command asks about the rest. */
import type { FileHandle } from 'node:fs/promises';
import { splitLines } from '../../input/text/split-lines.js';
import { cannotRead, cannotWrite } from '../../report/folder/run-folder-error.js';
import { openOwn, streamOwn } from '../../shared/regular-file.js';

interface FoundStatus {
  supplier: string;
  /** External account number. */
  number: string;
  /** Of the specification, or `notFound` and the like for one that was final before. */
  status: string;
}

export interface StatusLog {
  /** In the order in which they were found: of one account the last one counts. */
  read(): AsyncIterable<FoundStatus>;
  add(found: FoundStatus): Promise<void>;
  /** Writes what is still held back. A command that is killed loses up to a hundred, which the next one asks about again. */
  save(): Promise<void>;
  close(): Promise<void>;
}

/** Of a run without a folder here: nothing is kept from one command to the next. */
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

/** Rejects with a `RunFolderError` where the file cannot be written. A line that a crash cut off is passed over. */
export async function openStatusLog(path: string): Promise<StatusLog> {
  let file: FileHandle;
  try {
    file = await openOwn(path, 'append');
  } catch (error) {
    throw cannotWrite(path, error);
  }
  // The last line of a command that was killed may have no end.
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
