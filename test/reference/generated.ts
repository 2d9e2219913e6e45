/** Files that are generated from the code and committed: writes them, or compares them with the committed ones. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { ROOT } from './entries.js';

export interface Generated {
  /** Texts by path, from the root of the repository, with slashes. */
  files: ReadonlyMap<string, string>;
  /** Folders of which every file is made, so that one too many is found as well. */
  folders: readonly string[];
}

/** Writes what differs, and deletes what is made no more. */
export function write({ files, folders }: Generated, root = ROOT): void {
  for (const path of filesIn(folders, root)) if (!files.has(path)) rmSync(join(root, path));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (kept(path, root) !== text) writeFileSync(join(root, path), text);
  }
}

/** What differs, one line each; empty where all is as it should be. */
export function differences({ files, folders }: Generated, root = ROOT): string[] {
  const extra = filesIn(folders, root).filter((path) => !files.has(path));
  return [
    ...extra.map((path) => `${path} is made no more`),
    ...[...files].flatMap(([path, text]) => {
      const found = kept(path, root);
      if (found === text) return [];
      return [found === undefined ? `${path} is missing` : `${path}, ${firstDifference(found, text)}`];
    }),
  ].sort();
}

/** `npm run <command>` writes; with `--check` it says what is out of date, and what corrects it. */
export function writeOrCheck(generated: Generated, command: string): void {
  if (!process.argv.includes('--check')) {
    write(generated);
    return;
  }
  const found = differences(generated);
  if (found.length === 0) return;
  console.error(`${found.join('\n')}\nOut of date: run \`npm run ${command}\`, look at the changes, and commit them.`);
  process.exitCode = 1;
}

function kept(path: string, root: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
}

function filesIn(folders: readonly string[], root: string): string[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

function firstDifference(found: string, made: string): string {
  const [is, shouldBe] = [found.split('\n'), made.split('\n')];
  const line = shouldBe.findIndex((text, index) => text !== is[index]);
  return line === -1
    ? `line ${shouldBe.length + 1}: is «${is[shouldBe.length]}», should end`
    : `line ${line + 1}: is «${is[line] ?? ''}», should be «${shouldBe[line]}»`;
}
