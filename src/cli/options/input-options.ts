/** Options of commands that read an input. */
import type { ConfiguredSources } from '../../migration/input/sql/declarations.js';
import { inGroup, type OptionTable, type OptionValues } from './option.js';
import { positiveNumber, repeated } from './values.js';

const OF_INPUT = 'It describes the files of the input; those of a run are JSON Lines in UTF-8.';

export const inputOptions = {
  ...inGroup('Input', {
    map: {
      flags: '--map <path>',
      help: 'module that turns CSV rows into records',
      details:
        'For files with different mappings, once for each: --map customers.csv=map-customers.mjs. Its code is run, so a config file that no flag names cannot set it.',
      parse: repeated,
      trust: 'code',
      whyIdle: whyMapIsIdle,
      notKept: OF_INPUT,
    },
    encoding: {
      flags: '--encoding <name>',
      help: 'encoding of the input files',
      details:
        'Such as windows-1252, latin1, iso-8859-15, macintosh or utf-16le. Files that begin with a byte order mark are read by that, and files in UTF-8 as such.',
      shownDefault: 'utf-8',
      whyIdle: whyEncodingIsIdle,
      notKept: OF_INPUT,
    },
    longestLine: {
      flags: '--longest-line <MiB>',
      help: 'longest line or CSV row',
      details: 'A longer one is an error of that line.',
      shownDefault: '4',
      parse: positiveNumber,
    },
  }),
  showPersonalData: {
    flags: '--show-personal-data',
    group: 'Output',
    help: 'do not mask personal data',
    details:
      'Messages of a mapping that throws may quote the row, and unknown fields keep their names, and refusals of the service the text that it sent, on the terminal and in the files of the run. check also shows the value of each finding.',
  },
} as const satisfies OptionTable;

/** Inputs that are certainly not CSV, nor a folder with CSV files. */
const NO_CSV = /\.(?:jsonl|ndjson|json|sql|[cm]?[jt]s)(?:\.gz)?$/i;

/** `sources`: of the config file. */
export type InputFlags = OptionValues<typeof inputOptions> & { sources?: ConfiguredSources };

const OF_FILES =
  "JSON Lines or CSV, plain or .gz: files, folders, or '-' for stdin; a query (.sql); or a module that exports records";

/** The operand of commands that read an input, and of one that also works without any. */
export const INPUT = ['<input...>', OF_FILES] as const;
export const OPTIONAL_INPUT = ['[input...]', OF_FILES] as const;

/** A config file may set it for other inputs. */
function whyMapIsIdle(inputs: readonly string[]): string | undefined {
  if (!inputs.every((path) => NO_CSV.test(path))) return undefined;
  return `--map has no effect: it is for CSV, and ${inputs.join(' ')} ${inputs.length === 1 ? 'is' : 'are'} not. Leave it out, or give the CSV file.`;
}

async function whyEncodingIsIdle(
  inputs: readonly string[],
  { sources }: { sources?: ConfiguredSources },
): Promise<string | undefined> {
  for (const path of inputs) if (!(await hasOwnEncodings(path, sources))) return undefined;
  return `--encoding has no effect: ${inputs.join(' ')} ${inputs.length === 1 ? 'has' : 'have'} no file that needs it. A query declares the encodings of its sources, and a module reads its own files. Leave it out, or correct the declaration.`;
}

const MODULE = /\.[cm]?[jt]s$/i;

/** Returns whether the input is a module, or a query that declares the encoding of each source. */
async function hasOwnEncodings(path: string, configured: ConfiguredSources | undefined): Promise<boolean> {
  if (!/\.sql$/i.test(path)) return MODULE.test(path);
  const { readSqlFile } = await import('../../migration/input/sql/declarations.js');
  try {
    const { sources } = await readSqlFile(path, configured);
    return sources.every(({ file, encoding }) => encoding !== undefined || /\.parquet$/i.test(file));
  } catch {
    // The command itself has the message.
    return false;
  }
}
