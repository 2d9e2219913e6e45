/** Exports `inputPaths`: the files of an input and their formats. Refuses other files before anything is read. */
import { constants, existsSync, readdirSync, type Stats, statSync } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { firstInWords } from '../../shared/format.js';
import { InputError, reasonOf, whyNotRead } from '../input-error.js';

export interface InputPath {
  /** File name as the user gave it, or `-`. */
  name: string;
  /** `module`: JavaScript or TypeScript that exports the records. `sql`: a query whose rows are the records. */
  format: 'jsonl' | 'csv' | 'module' | 'sql';
}

export const STDIN = '-';

/** Returns one path for all names of a file. */
export function pathOf(name: string): string {
  return name === STDIN ? name : resolve(name);
}

/** The config file of the command, in the folder in which it is started. */
export const CONFIG_FILE = 'data-import.config.json';

const NAMES = /\.(?:(?<json>jsonl|ndjson|json)|csv)(?:\.gz)?$/i;
export const MODULES = /\.[cm]?[jt]s$/i;
/** Returns whether the file with this name is a query. */
export const isQuery = (name: string): boolean => /\.sql$/i.test(name);
const EXPECTED = '.jsonl, .ndjson, .json or .csv, each also with .gz';

/** Resolves with the files in the given order; those of a folder by name, files of businesses first. Rejects with an `InputError`. */
export async function inputPaths(paths: readonly string[], isStdinMapped: boolean): Promise<InputPath[]> {
  if (paths.length === 0) throw new InputError(`no input is given; expected files (${EXPECTED}), folders, or -.`);
  const found: InputPath[] = [];
  const standardInput = { name: STDIN, format: isStdinMapped ? 'csv' : 'jsonl' } as const;
  for (const path of paths) found.push(...(path === STDIN ? [standardInput] : await filesAt(path)));
  if (found.length === 0) {
    throw new InputError(
      `${paths.join(', ')}: is the folder of a run, which has no input; expected files (${EXPECTED}). Corrected lines are given to retry, by the name of their file.`,
    );
  }

  const seen = new Set<string>();
  for (const { name } of found) {
    const place = pathOf(name);
    if (seen.has(place))
      throw new InputError(`${name}: is given twice, but each record may occur only once. Name it once.`);
    seen.add(place);
  }
  return found;
}

async function filesAt(path: string): Promise<InputPath[]> {
  const found = await look(path);
  if (found.isDirectory()) return filesIn(path);
  if (!found.isFile()) {
    throw new InputError(
      `${path}: is neither a file nor a folder, and cannot be read twice. Send it to standard input, and give -.`,
    );
  }
  if (MODULES.test(path)) return [{ name: path, format: 'module' }];
  if (isQuery(path)) return [{ name: path, format: 'sql' }];
  const file = fileOf(path);
  if (file !== undefined) return [file];
  throw new InputError(
    `${path}: the format is not clear from the name; expected ${EXPECTED}, a query (.sql), or a module that exports records (.mjs, .js, .cjs, .ts). Rename it.`,
  );
}

const MOST_NAMED = 5;

/**
 * Skips hidden files, and what this package writes: folders of runs, and the config file. Any other file that is not an input file is an
 * error, because ignoring it silently could lose records.
 */
async function filesIn(folder: string): Promise<InputPath[]> {
  // A pattern of the shell, such as *, names the folder of a run too.
  if (isOfRun(folder)) return [];
  const files: InputPath[] = [];
  const others: string[] = [];
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const state = await look(path);
    const file = state.isFile() ? fileOf(path) : undefined;
    if (file !== undefined) files.push(file);
    else if (!state.isDirectory() || !(await hasOnlyRuns(path))) others.push(name);
  }
  if (others.length > 0) {
    throw new InputError(
      `${folder}: ${firstInWords(others, MOST_NAMED)} cannot be part of an input; expected files (${EXPECTED}) only. Move them away, or name the input files one by one.`,
    );
  }
  if (files.length === 0) throw new InputError(`${folder}: there is no file in it; expected files (${EXPECTED}).`);
  return files;
}

/** Returns the input files that are now in the folders of an input, and not in `known`. */
export function addedFiles(paths: readonly string[], known: readonly InputPath[]): string[] {
  const read = new Set(known.map(({ name }) => pathOf(name)));
  const isFolder = (path: string) =>
    path !== STDIN && statSync(path, { throwIfNoEntry: false })?.isDirectory() && !isOfRun(path);
  const names = paths.filter(isFolder).flatMap((folder) => namesIn(folder).map((name) => join(folder, name)));
  return names.filter((name) => fileOf(name) !== undefined && !read.has(pathOf(name)));
}

/** Without hidden files and the config file. */
function namesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.') && name !== CONFIG_FILE);
  return names.sort(byName);
}

/** Returns whether a folder is that of a run, or has only such folders, as after `run . --run runs/monday`. Does not follow links in it. */
async function hasOnlyRuns(path: string): Promise<boolean> {
  if (isOfRun(path)) return true;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    if (!entry.isDirectory() || !(await hasOnlyRuns(join(path, entry.name)))) return false;
  }
  return true;
}

/** Returns whether a command has written into the folder. A session that ended before its first record has left only the second pair. */
function isOfRun(path: string): boolean {
  const has = (name: string) => existsSync(join(path, name));
  return has('run.json') || (has('audit.log') && has('.gitignore'));
}

/** Compares by code units, so that the order does not depend on the locale. */
function byName(one: string, other: string): number {
  const rank = (name: string) => (/^business/i.test(name) ? 0 : 1);
  return rank(one) - rank(other) || (one < other ? -1 : 1);
}

function fileOf(name: string): InputPath | undefined {
  const { groups } = NAMES.exec(name) ?? {};
  if (groups === undefined) return undefined;
  return { name, format: groups['json'] === undefined ? 'csv' : 'jsonl' };
}

async function look(path: string): Promise<Stats> {
  try {
    await access(path, constants.R_OK);
    return await stat(path);
  } catch (error) {
    const reason = reasonOf(error);
    const what = reason === 'ENOENT' ? 'there is no such file or folder' : `it cannot be read (${whyNotRead(error)})`;
    throw new InputError(
      `${path}: ${what}; expected the path of an input file. Check the path, and that you may read it.`,
      {
        cause: error,
      },
    );
  }
}
