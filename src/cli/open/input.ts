/** The input of a command: its paths, and the module that makes records of CSV. */
import type { Command } from 'commander';
import { loadMap } from '../../migration/input/csv/mapping.js';
import { expectRecords } from '../../migration/input/expect-records.js';
import { InputError, MappingError } from '../../migration/input/input-error.js';
import { type OpenInput, openInput } from '../../migration/input/open-input.js';
import { moduleSetting, positiveNumber, setting } from '../options/settings.js';
import { UsageError } from '../shared/errors.js';

export interface BookFlags {
  map?: string;
  longestLine?: number;
  showPersonalData?: true;
}

const PATHS = "JSON Lines or CSV, plain or .gz; files, folders, or '-' for standard input";

export function withBook(command: Command): Command {
  return withMapping(command.argument('<book...>', PATHS));
}

export function withOptionalBook(command: Command): Command {
  return withMapping(command.argument('[book...]', PATHS));
}

function withMapping(command: Command): Command {
  return command
    .addOption(
      moduleSetting(
        '--map <path>',
        'module that makes records of the rows of a CSV; its code is run, so a config file that no flag names cannot set it',
      ),
    )
    .addOption(
      setting('--longest-line <MiB>', 'a longer line, or CSV row, is an error of that line (default: 4)').argParser(
        positiveNumber,
      ),
    )
    .addOption(
      setting(
        '--show-personal-data',
        'messages of a mapping that throws may quote the row, and unknown fields keep their names, on the terminal and in the files of the run',
      ),
    );
}

/** The caller closes it. Rejects with a UsageError for paths and modules that are invalid. */
export async function openBookOf(paths: readonly string[], flags: BookFlags): Promise<OpenInput> {
  try {
    const map = flags.map === undefined ? undefined : await loadMap(flags.map);
    const { showPersonalData, longestLine } = flags;
    const bytes = longestLine === undefined ? {} : { longestLine: Math.floor(longestLine * 2 ** 20) };
    return await openInput(paths, { map, showPersonalData, ...bytes });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** Rejects with a UsageError where the input has no record, and with a MappingError where the mapping fails for each of the first rows. */
export async function expectRecordsIn(book: OpenInput): Promise<void> {
  await expectRecords(book).catch((error: unknown) => {
    if (error instanceof MappingError || !(error instanceof InputError)) throw error;
    throw new UsageError(error.message, { cause: error });
  });
}
