/** Exports `readConsoleFile`. The console's files are next to this module: in `src/sandbox/admin/console`, and in `dist/console` when built. */
import { readFile } from 'node:fs/promises';

const FOLDER = new URL('./console/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

export interface ConsoleFile {
  type: string;
  content: string;
}

/**
 * Returns a file by its path, such as `console.js` or `tabs/accounts.js`; undefined if there is none, or if a bundler included the sandbox
 * without the console.
 */
export async function readConsoleFile(path: string): Promise<ConsoleFile | undefined> {
  const [, extension = ''] = /^(?:[a-z]+\/)?[a-z-]+\.(css|html|js)$/.exec(path) ?? [];
  const type = TYPES[extension];
  if (type === undefined) return undefined;
  try {
    return { type, content: await readFile(new URL(path, FOLDER), 'utf8') };
  } catch {
    return undefined;
  }
}
