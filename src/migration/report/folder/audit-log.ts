/** Exports `createAuditLog`: an append-only log of what operators changed and what stopped the run, one line per entry. */
import { oneLine } from '../../shared/printable.js';
import { openOwn, readOwnIfThere } from '../../shared/regular-file.js';
import { cannotWrite } from './run-folder-error.js';

export interface AuditEntry {
  /** Time by the clock of the run, an ISO datetime. */
  at: string;
  by: 'operator' | 'run';
  what: string;
}

export type AuditLog = ReturnType<typeof createAuditLog>;

export function createAuditLog(path: string) {
  let last: Promise<unknown> = Promise.resolve();
  return {
    append({ at, by, what }: AuditEntry): Promise<void> {
      const text = `${at} ${by} ${oneLine(what.trim())}\n`;
      const written = last.then(async () => {
        // A crash may have left an incomplete line: start a new one.
        const before = (await readOwnIfThere(path)) ?? '';
        const start = before === '' || before.endsWith('\n') ? '' : '\n';
        await appendOwn(path, start + text);
      });
      last = written.catch(() => {});
      return written;
    },
    async entries(): Promise<AuditEntry[]> {
      return ((await readOwnIfThere(path)) ?? '').split('\n').flatMap((line) => {
        const [, at, by, what] = /^(\S+) (operator|run) (.*)$/.exec(line) ?? [];
        return at === undefined || what === undefined ? [] : [{ at, by: by === 'operator' ? 'operator' : 'run', what }];
      });
    },
  };
}

/** Appends text. Resolves when it is on disk. Creates the file if it does not exist. Rejects with a `RunFolderError`. */
export async function appendOwn(path: string, text: string): Promise<void> {
  try {
    const file = await openOwn(path, 'append');
    try {
      await file.appendFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw cannotWrite(path, error);
  }
}
