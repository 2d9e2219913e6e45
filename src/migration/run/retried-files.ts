/**
 * Exports `keepRetriedFiles`: a session of `retry` writes rejected.jsonl and similar files again. If a person has corrected lines inside
 * such a file and gives it as the input, the session copies it first, so that the corrections remain. `forgetInCopies` removes forgotten
 * records from these copies.
 */
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Input } from '../input/source.js';
import { idOf, type RecordKey } from '../ledger/ledger.js';
import { copyOwn, type KeptFile, noteAsKept } from '../report/folder/edited-files.js';
import type { RunFolder } from '../report/folder/run-folder.js';
import { LEFT } from '../report/left-to-do.js';
import { EntryKey } from '../report/result-files/rejected-and-missing-lines.js';
import { counted } from '../shared/format.js';
import { jsonIn, linesOfOwn } from '../shared/regular-file.js';
import { writeWhole } from '../shared/write-atomically.js';

/** Files that a session with corrected lines writes again. */
const REWRITTEN = new Set(LEFT.flatMap(({ files = [] }) => files.map(([name]) => name)));

/**
 * Copies files of the run folder that are the input, as `retried-<time>-rejected.jsonl`, and notes the retry with the number of its lines
 * in audit.log. Rejects with a `RunFolderError` if a copy cannot be written.
 */
export async function keepRetriedFiles(
  { path, at, audit }: Pick<RunFolder, 'path' | 'at' | 'audit'>,
  input: Input,
  now: () => Date,
): Promise<KeptFile[]> {
  const time = now().toISOString();
  const folder = await realpath(path);
  const kept: KeptFile[] = [];
  for (const { source } of input.files?.() ?? []) {
    const name = basename(source);
    if (!REWRITTEN.has(name) || (await realpath(dirname(source)).catch(() => undefined)) !== folder) continue;
    const copy = at(`retried-${time.replaceAll(/[-:]|\.\d+/g, '')}-${name}`);
    await copyOwn(join(path, name), copy);
    await noteAsKept([join(path, name)]);
    kept.push({ source, copy });
  }
  await audit.append({ at: time, by: 'operator', what: `retry: ${await retriedInWords(input, kept)}` });
  return kept;
}

/** Removes the entries of records from the copies in a run folder; other lines stay as they are. Rejects with a `RunFolderError`. */
export async function forgetInCopies(
  { path, at }: Pick<RunFolder, 'path' | 'at'>,
  records: readonly RecordKey[],
): Promise<void> {
  const forgotten = new Set(records.map(idOf));
  const names = (await readdir(path)).filter((name) => /^(?:retried|edited)-.*\.jsonl$/.test(name));
  for (const name of names) {
    await writeWhole([at(name)], async ([write]) => {
      for await (const line of linesOfOwn(at(name))) {
        const { data: key } = EntryKey.safeParse(jsonIn(line));
        if (key === undefined || !forgotten.has(idOf(key))) await write(`${line}\n`);
      }
    });
  }
}

/** Returns the command with the copies in place of the files: after the session only they have the corrected lines. */
export function withCopies(command: string, kept: readonly KeptFile[]): string {
  return kept.reduce((text, { source, copy }) => text.replaceAll(source, copy), command);
}

async function retriedInWords(input: Input, kept: readonly KeptFile[]): Promise<string> {
  const copyOf = new Map(kept.map(({ source, copy }) => [source, basename(copy)]));
  const lines = new Map((input.files?.() ?? []).map(({ source }) => [source, 0]));
  if (input.isReadOnce === true) return 'records of a program';
  for await (const { source } of input) lines.set(source, (lines.get(source) ?? 0) + 1);
  return [...lines]
    .map(([source, count]) => {
      const copy = copyOf.get(source);
      return `${counted(count, 'line')} of ${source}${copy === undefined ? '' : ` (copied to ${copy})`}`;
    })
    .join(', ');
}
