/**
 * `withSheets`: the command line of `retry` with correction sheets replaced by files of corrected entries in the run folder. The session
 * writes rejected.csv again, so that the command that continues it needs another file.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MOST_LISTED, type Refused, unusableRows } from '../../migration/operations/cells-of-row.js';
import { correctedEntries, isCorrectionSheet, NOT_USED } from '../../migration/operations/read-rejected-csv.js';
import { REJECTED_CSV } from '../../migration/report/result-files/write-rejected-csv.js';
import { counted } from '../../migration/shared/format.js';
import { writeWhole } from '../../migration/shared/write-atomically.js';
import { readProfile } from '../open/connection.js';
import type { CommandContext } from '../shared/command-context.js';
import { UsageError } from '../shared/errors.js';

/** Rejects with a `UsageError` or an `InputError` for a sheet that cannot be read, or that corrects nothing. Writes nothing then. */
export async function withSheets(
  paths: readonly string[],
  { run, encoding, profile: profilePath }: { run: string; encoding?: string | undefined; profile?: string | undefined },
  context: CommandContext,
) {
  const written = new Map<string, string>();
  // Known before the paths of its fields are shown.
  const profile = await readProfile(profilePath);
  for (const path of paths) {
    if (!(await isCorrectionSheet(path))) continue;
    const rejected = join(run, 'rejected.jsonl');
    if (!existsSync(rejected)) {
      throw new UsageError(
        `${path}: ${rejected} is missing, which has the records of this sheet. Give the folder of its run with --run.`,
      );
    }
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const file = join(run, `retried-${time}-${written.size + 1}-rejected.jsonl`);
    let count = 0;
    const unusable: Refused[] = [];
    await writeWhole([file], async ([write]) => {
      for await (const entry of correctedEntries(path, rejected, (row) => unusable.push(row), {
        encoding,
        profile,
      })) {
        count++;
        await write(entry);
      }
      if (count === 0) throw new UsageError(`${path}: ${unusableRows(path, NOT_USED, unusable)}`);
    });
    for (const { row, why } of unusable.slice(0, MOST_LISTED)) context.err(`data-import-sdk: ${path}:${row}: ${why}\n`);
    if (unusable.length > 0) {
      context.err(
        `Left out ${counted(unusable.length, 'record')}: correct the rows in the ${REJECTED_CSV} that this session writes, and give that to retry.\n`,
      );
    }
    context.err(
      `Read the new values of ${counted(count, 'record')} from ${path}: wrote ${file}, the input of this command.\n`,
    );
    written.set(path, file);
  }
  const { verb, parts } = context.command;
  const again = parts.map(({ flag, value }) =>
    flag === undefined ? { value: written.get(value ?? '') ?? value } : { flag, value },
  );
  return {
    paths: paths.map((path) => written.get(path) ?? path),
    context: { ...context, command: { verb, parts: again } },
  };
}
