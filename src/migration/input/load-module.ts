/** Exports `loadDefaultExport`, which runs a module that the user names, such as a mapping or an input, and returns its default export. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InputError, reasonOf } from './input-error.js';
import { MODULES } from './text/input-files.js';

/**
 * Loads a .js, .mjs or .cjs file, and a .ts file if the version of Node.js can. `name`: the module in messages. `expected`: what its
 * default export should be. Rejects with an `InputError` if the module cannot be loaded.
 */
export async function loadDefaultExport(path: string, name: string, expected: string): Promise<unknown> {
  try {
    await stat(path);
    if (!MODULES.test(path)) throw new Error('no module');
    const { default: outer }: { default?: unknown } = await import(
      /* @vite-ignore */ pathToFileURL(resolve(path)).href
    );
    // TypeScript compiled to CommonJS has its default inside the default.
    return typeof outer === 'object' && outer !== null && 'default' in outer ? outer.default : outer;
  } catch (error) {
    throw new InputError(`${name}: ${whyNotLoaded(path, error)}; ${expected}.`, { cause: error });
  }
}

function whyNotLoaded(path: string, error: unknown): string {
  const reason = reasonOf(error);
  if (reason === 'ENOENT') return 'there is no such file';
  if (!MODULES.test(path)) return 'it is no module: its name ends neither with .mjs, .js or .cjs nor with .ts';
  if (reason === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return 'this version of Node.js cannot load TypeScript: use 22.18 or newer, or compile the file';
  }
  if (!(error instanceof Error)) return `it cannot be loaded (${String(error)})`;
  // Node.js adds the line of a syntax error only when it prints it itself.
  const where = error instanceof SyntaxError ? `; "node --check ${path}" shows the line` : '';
  return `it cannot be loaded (${error.message}${where})`;
}
