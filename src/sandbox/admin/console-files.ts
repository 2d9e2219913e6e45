/** The files of the console, as they lie beside this module: in the sources in `src/sandbox/admin/console`, when built in `dist/console`. */
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

/** undefined where there is no such file, or where a bundler took the sandbox and left the console behind. */
export async function readConsoleFile(name: string): Promise<ConsoleFile | undefined> {
  const [, extension = ''] = /^[a-z-]+\.(css|html|js)$/.exec(name) ?? [];
  const type = TYPES[extension];
  if (type === undefined) return undefined;
  try {
    return { type, content: await readFile(new URL(name, FOLDER), 'utf8') };
  } catch {
    return undefined;
  }
}
