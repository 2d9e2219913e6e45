/** Exports `hashOfModule`, the hash of a module and of the files that it imports by a relative path. */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** The path in `import './x.mjs'`, `from './x.mjs'`, `import('./x.mjs')` and `require('./x.cjs')`. */
const IMPORTED = /\b(?:from|import|require)\b[\s(]{0,8}["'](\.{1,2}\/[^"'\n]{1,1000})["']/g;

/** Endings that `require` adds. */
const ENDINGS = ['', '.js', '.cjs', '.json', '/index.js', '.ts'];

/** Returns the SHA-256 in hexadecimal digits. A file that cannot be read does not count: the module could not be loaded, or reads it later. */
export async function hashOfModule(path: string): Promise<string> {
  const hashes = new Map<string, string>();
  await add(resolve(path), hashes);
  // Without the paths: a mapping that was moved is the same.
  return hash('sha256', [...hashes.values()].join('\n'));
}

async function add(path: string, hashes: Map<string, string>): Promise<void> {
  for (const ending of ENDINGS) {
    const file = path + ending;
    if (hashes.has(file)) return;
    const content = await readFile(file).catch(() => undefined);
    if (content === undefined) continue;
    hashes.set(file, hash('sha256', content));
    for (const [, imported = ''] of content.toString().matchAll(IMPORTED))
      await add(resolve(dirname(file), imported), hashes);
    return;
  }
}
