/** Exports `openStatusLog`, which stores the final import statuses found by `verify --follow`, so that the next command queries only the others. */
import * as z from 'zod';
import { cannotWrite } from '../../report/folder/run-folder-error.js';
import { jsonIn, linesOfOwn, openOwn } from '../../shared/regular-file.js';

export type StatusLog = Awaited<ReturnType<typeof openStatusLog>>;

/** Import supplier, external account number, and a status of the specification, or for an account that had a final status before, for example `notFound`. */
const Entry = z.tuple([z.string(), z.string(), z.string()]);

/** Rejects with a `RunFolderError` if the file cannot be written. Ignores an incomplete line after a crash. */
export async function openStatusLog(path: string) {
  const file = await openOwn(path, 'append').catch((error: unknown) => {
    throw cannotWrite(path, error);
  });
  // Begins a new line, because the last line of a killed command may be incomplete.
  let before = (await file.stat()).size > 0 ? '\n' : '';
  let writing: Promise<void> = Promise.resolve();
  return {
    /** Yields the statuses in the order of finding. For each account the last one counts. */
    async *read() {
      for await (const line of linesOfOwn(path)) {
        const { data } = Entry.safeParse(jsonIn(line));
        if (data !== undefined) yield data;
      }
    },
    add(...entry: z.infer<typeof Entry>): Promise<void> {
      const text = `${before}${JSON.stringify(entry)}\n`;
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
