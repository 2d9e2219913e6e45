/** Exports the facts of the CSV files that `readCsv` reads in this process: a command lists these files with those of its input. */
import { relative, resolve } from 'node:path';
import { createFileFacts, type FileFacts, type InputFile } from '../../input-file.js';

const REGISTRY = Symbol.for('data-import-sdk.relatedFiles');

/** One for the process: a mapping module and the command line load this package separately. */
function registry(): Map<string, FileFacts> {
  const holder = globalThis as { [REGISTRY]?: Map<string, FileFacts> };
  holder[REGISTRY] ??= new Map();
  return holder[REGISTRY];
}

/** Returns the facts of this file. */
export function factsOfRelated(path: string): FileFacts {
  const absolute = resolve(path);
  const inFolder = relative('', absolute);
  const facts = registry().get(absolute) ?? createFileFacts(inFolder.startsWith('..') ? absolute : inFolder, false);
  registry().set(absolute, facts);
  return facts;
}

/** Returns a function that returns the files that `readCsv` has read since, without those in `inputs`. */
export function watchRelatedFiles(): (inputs: readonly string[]) => InputFile[] {
  const before = new Set(registry().keys());
  return (inputs) => {
    const known = new Set(inputs.map((path) => resolve(path)));
    const related = [...registry()].filter(([path]) => !before.has(path) && !known.has(path));
    // A related file without a row is no missing input.
    return related.map(([, facts]) => {
      const { empty: _, ...file } = facts.facts();
      return file;
    });
  };
}
