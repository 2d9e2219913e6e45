/** `newFolder`: a temporary run folder for the examples. In your project, use a permanent one such as `data-import-run`. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function newFolder() {
  const path = await mkdtemp(join(tmpdir(), 'data-import-'));
  return {
    path,
    at: (name: string) => join(path, name),
    /** Returns the entries of a JSON Lines file such as rejected.jsonl. */
    async entries<Entry>(name: string): Promise<Entry[]> {
      const text = await readFile(join(path, name), 'utf8');
      return text.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as Entry)));
    },
    async write(name: string, entries: readonly unknown[]): Promise<string> {
      await writeFile(join(path, name), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      return join(path, name);
    },
    remove: () => rm(path, { recursive: true }),
  };
}
