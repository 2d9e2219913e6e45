/** The book of a command: its paths, and the module that makes records of CSV. */
import type { Command } from 'commander';
import { loadMap } from '../migration/source/map.js';
import { type OpenBook, openBook } from '../migration/source/open-book.js';
import { setting } from './settings.js';
import { UsageError } from './surroundings.js';

export interface BookFlags {
  map?: string;
}

export function withBook(command: Command): Command {
  return command
    .argument('<book...>', "JSON Lines or CSV, plain or .gz; files, folders, or '-' for standard input")
    .addOption(setting('--map <path>', 'module that makes records of the rows of a CSV'));
}

/** Whoever opens it closes it. Rejects with a UsageError for what cannot be meant. */
export async function openBookOf(paths: readonly string[], flags: BookFlags): Promise<OpenBook> {
  try {
    return await openBook(paths, { map: flags.map === undefined ? undefined : await loadMap(flags.map) });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
