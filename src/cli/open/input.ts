/** `openInputOf`: the input of a command, with the modules that turn CSV rows into records. */
import { loadMap, type RowMapping, type RowMaps } from '../../migration/input/csv/load-mapping.js';
import { InputError } from '../../migration/input/input-error.js';
import { type OpenInput, openLines } from '../../migration/input/open-input.js';
import { encodingOf } from '../../migration/input/text/code-pages.js';
import type { InputFlags } from '../options/input-options.js';
import { UsageError } from '../shared/errors.js';

/**
 * `isWhole`: false for corrected lines, which ask for few rows of related files. The caller closes the input. Rejects with a `UsageError` for
 * an invalid path or module.
 */
export async function openInputOf(paths: readonly string[], flags: InputFlags, isWhole = true): Promise<OpenInput> {
  try {
    const map = await loadMaps(flags.map);
    const { encoding, showPersonalData, longestLine, sources } = flags;
    const bytes = longestLine && Math.floor(longestLine * 2 ** 20);
    if (encoding !== undefined) encodingOf(encoding, '--encoding');
    return await openLines(paths, { map, encoding, showPersonalData, sources, longestLine: bytes }, isWhole);
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** `--map <path>` for all CSV files, or `--map <file>=<path>` for each. */
async function loadMaps(values: readonly string[] = []): Promise<RowMaps | undefined> {
  const ofFiles: Record<string, RowMapping> = {};
  let ofAll: RowMapping | undefined;
  for (const value of values) {
    const [, file, path] = /^([^=]+\.csv(?:\.gz)?)=(.+)$/i.exec(value) ?? [];
    if (file !== undefined && path !== undefined) {
      if (file in ofFiles) throw new InputError(`--map ${value}: ${file} has two mappings. Give one of them.`);
      ofFiles[file] = await loadMap(path);
    } else if (values.length > 1) {
      throw new InputError(
        `--map ${value}: expected the name of a CSV file before each of several modules, such as --map customers.csv=${value}.`,
      );
    } else ofAll = await loadMap(value);
  }
  return values.length === 0 ? undefined : (ofAll ?? ofFiles);
}
