/** Exports `readConsoleFile`. The console's files are next to this module: in `src/sandbox/admin/console`, and in `dist/console` when built. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
    return { type, content: await readFile(join(folder(), path), 'utf8') };
  } catch {
    return undefined;
  }
}

/** Not `new URL('./console/', import.meta.url)`: a bundler includes what such a URL names, and a folder fails its build. */
function folder(): string {
  return join(dirname(fileURLToPath(import.meta.url)), 'console');
}
